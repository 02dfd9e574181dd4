//! Webhooks of a service, with receivers on this machine.

mod addresses;
mod deliveries;
mod service;
mod turns;
