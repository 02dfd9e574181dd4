//! What the program, the pictures, the pages and the service promise in tables and in documents.

mod documents;
mod pages;
mod pictures;
mod program;
mod service;
