//! The HTTP service from outside: the real server, a fresh archive for each test, and what its clients see.

mod auth;
mod changes;
mod corrections;
mod events;
mod export;
mod failures;
mod feed;
mod limits;
mod live;
mod memory;
mod negotiate;
mod openapi;
mod pages;
mod pictures;
mod players;
mod receipts;
mod records;
mod response_cache;
mod routes;
mod same_game;
mod sample_tournament;
mod scheduling;
mod security;
mod sheets;
mod submit;
mod verify;
