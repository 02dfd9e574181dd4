//! Two services on one database.

use std::{
    fs,
    process::Command,
    sync::{Arc, RwLock},
};

use quipu_options::Scope;
use quipu_tests_service::{
    program,
    spawned_server::{self, SpawnedServer},
};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Two services, and the addresses at which clients find them.
pub(crate) struct Services {
    /// Folders with the key of receipts.
    folders: [TempDir; 2],
    database: String,
    running: [Option<SpawnedServer>; 2],
    /// Makes the command that becomes a service, and names the address on which it listens.
    host: Box<dyn Fn(usize) -> (Command, String)>,
    /// Text of a token that may do all that clients do.
    pub(crate) token: String,
    /// Host and port of each.
    pub(crate) addresses: [Arc<RwLock<String>>; 2],
}

impl Services {
    /// Starts both on this machine.
    pub(crate) fn start(database: &str) -> Self {
        Self::start_by(database, database, |_| (Command::new(program::path()), "127.0.0.1:0".to_owned()))
    }

    /// Starts both by commands. They reach the database at `database`, this process at `own`.
    pub(crate) fn start_by(database: &str, own: &str, host: impl Fn(usize) -> (Command, String) + 'static) -> Self {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let scopes = [Scope::RecordsWrite, Scope::EventsAdmin];
        let token = spawned_server::token_with(program::path(), folders[0].path(), &scopes, Some(own));
        let mut services = Self {
            folders,
            database: database.to_owned(),
            running: [None, None],
            host: Box::new(host),
            token,
            addresses: Default::default(),
        };
        services.restart(0);
        // Services of one archive share the key.
        let [key, copy] = [0, 1].map(|service| services.folders[service].path().join("quipu.key"));
        fs::copy(key, copy).expect("it is copied");
        services.restart(1);
        services
    }

    /// Kills a service.
    pub(crate) fn kill(&mut self, service: usize) {
        self.running[service].take().expect("it runs").kill();
    }

    /// Starts a service that does not run.
    pub(crate) fn restart(&mut self, service: usize) {
        let (command, listen) = (self.host)(service);
        let options = ["--database", &self.database, "--listen", &listen];
        let started = SpawnedServer::start_by(command, self.folders[service].path(), &options);
        self.addresses[service].write().expect("nobody panics with it").clone_from(&started.address);
        self.running[service] = Some(started);
    }

    /// Pauses a service.
    pub(crate) fn pause(&self, service: usize) {
        self.signal(service, Signal::STOP);
    }

    /// Lets a paused service go on.
    pub(crate) fn resume(&self, service: usize) {
        self.signal(service, Signal::CONT);
    }

    fn signal(&self, service: usize, signal: Signal) {
        let process = self.running[service].as_ref().expect("it runs").process();
        let process = i32::try_from(process).ok().and_then(Pid::from_raw).expect("a number");
        kill_process(process, signal).expect("it runs");
    }

    /// Ends both, and returns the folder of the first.
    pub(crate) fn end(self) -> TempDir {
        let Self { folders: [first, _], .. } = self;
        first
    }
}
