//! Contracts of the program, the pictures, the pages and the service with their tables and documents.

mod api;
mod documents;
mod pages;
mod pictures;
mod program;
mod service;
