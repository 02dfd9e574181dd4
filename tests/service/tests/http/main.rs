//! The HTTP service from outside: the real server, a fresh archive for each test, and what its clients see.

mod auth;
mod changes;
mod corrections;
mod doors;
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
mod ready;
mod receipts;
mod records;
mod routes;
mod scheduling;
mod submit;
mod verify;
