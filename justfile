# Short names for what continuous integration runs, and for the longer forms of it.

target := env("CARGO_TARGET_DIR", "target") / "release"

# Lists the recipes
default:
    @just --list --unsorted

# Everything that continuous integration runs, as it runs it
ci:
    .ci/run

# Format, lints and documentation, without the tests
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked

# Installs what is missing and runs everything
test:
    ./test

# Licences, bans and sources of all dependencies (needs cargo-deny)
deny:
    cargo deny check licenses bans sources

# Looks up known vulnerabilities of all locked crates; downloads the RustSec database (needs cargo-deny or cargo-audit)
audit:
    if command -v cargo-deny > /dev/null; then cargo deny --locked check advisories; else cargo audit --deny warnings; fi

# Prints the bill of materials as CycloneDX: every crate with its version, licence and checksum, SQLite and the fonts
sbom:
    @cargo run --quiet -p quipu-tests-service --bin sbom --locked

# Measures reading and judging, compared with other programs, then plies and nodes per second
bench:
    cargo run --release -p quipu-tests-core --bin bench_core
    cargo bench -p quipu-tests-core
    cargo bench -p quipu-tournament

# Puts `slips` slips of each kind into games of each kind, and prints how often the true move is suggested
suggestions slips="1000" seed="1532":
    cargo run --release -p quipu-tests-core --bin suggestions -- {{slips}} {{seed}}

# Repairs sheets with slips, those of the fixtures or of other files, and prints how often the result is the true game
repair *files:
    cargo run --release -p quipu-tests-core --bin repair -- {{files}}

# Merges pairs of sheets, those of the fixtures or of other files, and prints how often the result is the true game
merge *files:
    cargo run --release -p quipu-tests-core --bin merge -- {{files}}

# Compares both referees on `plies` plies of random games, valid and damaged
differential plies="20000000" seed="1":
    cargo run --release -p quipu-differential -- {{plies}} {{seed}}

# Runs libFuzzer on a target of tests/fuzz for `seconds` seconds (needs cargo-fuzz)
fuzz target seconds="60":
    RUSTC_BOOTSTRAP=1 cargo fuzz run --fuzz-dir tests/fuzz --features {{ if target == "http" { "libfuzzer,http" } else { "libfuzzer" } }} -s none {{target}} -- -max_total_time={{seconds}} -dict=tests/fuzz/quipu.dict

# Verifies a generated stream of 1 GiB and reports the peak memory
memory: (_build "memory")
    {{target}}/memory

# Has another program check the pairings of random tournaments
pairings count="200" seed="1" players="20":
    [ -x target/tournament/bin/python ] || { python3 -m venv target/tournament && target/tournament/bin/pip install --quiet --require-hashes --requirement tests/tournament/requirements.txt; }
    rm -rf target/tournament/files
    cargo run --release -p quipu-tournament --example random_tournaments -- target/tournament/files {{count}} {{seed}} {{players}}
    target/tournament/bin/python tests/tournament/check.py target/tournament/files

# Sends valid and invalid requests generated from the OpenAPI document for `seconds` seconds (needs python3)
schemathesis seconds="600":
    cargo run --release -p quipu-tests-service --bin schemathesis -- {{seconds}}

# Generates clients from the OpenAPI document, in Python and in TypeScript, and runs them (needs python3 and npm)
clients: (_build "clients")
    {{target}}/clients

# Rates the pages with Lighthouse in Chromium: 98 points or more for accessibility, best practices and SEO (needs npm and chromium)
lighthouse: (_build "lighthouse")
    {{target}}/lighthouse

# Tests the Python package, with its types and its guide (needs python3 and npm)
python:
    cargo build --locked -p quipu -p quipu-python
    tests/python/run

# Tests the language server with pytest-lsp and with Neovim (needs python3, node and nvim)
editors:
    cargo build --locked -p quipu
    tests/editors/run

# Measures the time from a key to its findings in a file of 10 MiB
lsp-bench:
    cargo build --release --locked -p quipu
    python3 tests/editors/bench.py {{target}}/quipu

# Packages the extension for VS Code, in target/quipu.vsix (needs npm)
vscode:
    mkdir -p target
    npm ci --prefix editors/vscode --ignore-scripts --no-audit --no-fund
    npm run --prefix editors/vscode package

# Measures the Python package compared with the program on `records` records (needs python3 and npm)
python-bench records="1000000":
    cargo build --release --locked -p quipu -p quipu-python
    tests/python/run {{target}}
    PYTHONPATH=target/python/package target/python/bin/python tests/python/bench.py {{target}}/quipu {{records}}

# Judges `records` records on a Spark cluster of two executors, kills one, and compares with one process (installs PySpark and OpenJDK)
spark records="2000000":
    cargo build --release --locked -p quipu -p quipu-python
    tests/spark/run {{target}} {{records}}

# Runs the tests of the archive and of the service on a PostgreSQL server from a temporary folder (needs PostgreSQL 15 or later)
postgres *tests:
    cargo build --locked -p quipu -p quipu-tests-service
    target/debug/with_postgres cargo test --locked -p quipu-tests-service --test archive --test http {{tests}}

# Fails the primary of a PostgreSQL server `count` times while 64 clients write, and services and networks, and looks for lost changes
failover count="100": (_build "failover")
    {{target}}/failover {{count}}

# Measures an archive on PostgreSQL compared with SQLite and with minimal inserts, in one run; `short` takes half a minute
postgres-bench form="": (_build "bench_postgres")
    {{target}}/bench_postgres {{form}}

# Copies an archive of `games` generated games into PostgreSQL and back, and measures the service on it compared with one of ten thousand
postgres-archive games="1000000": (_build "bench_archive")
    {{target}}/bench_archive postgres {{games}}

# Tests the GitHub Action, the hooks of pre-commit and the Containerfile (needs python3 and git)
packaging:
    cargo build --locked -p quipu
    tests/packaging/run

# Tests webhooks with the receiver of their guide (needs python3)
webhooks:
    cargo build --locked -p quipu
    tests/webhooks/run

# Makes the files of a release in target/artefacts, and installs and starts the Debian package (needs python3, dpkg, man and curl)
release:
    packaging/release

# Checks that every crate can be published, without publishing: builds each from its package alone
publish-check:
    cargo publish --workspace --dry-run --locked

# Builds the Python package as a wheel for Python 3.9 and later, in target/wheels (needs python3)
wheel:
    python3 -m venv target/wheel
    target/wheel/bin/pip wheel --quiet --no-deps --wheel-dir target/wheels ./api/python

# Creates an archive of `games` generated games, and measures the service on it compared with one of ten thousand
archive games="1000000": (_build "bench_archive")
    {{target}}/bench_archive {{games}}

# Measures the index of positions on an archive of `games` random games: its size, and the time of a query
positions *games: (_build "bench_positions")
    {{target}}/bench_positions {{games}}

# Measures the service compared with a minimal handler and minimal inserts, in one run; `short` takes half a minute
service form="": (_build "bench_http")
    {{target}}/bench_http {{form}}

# Builds from nothing first the packages of the README's first command, then the whole program, and prints both times
cold-build:
    cargo fetch --locked
    rm -rf target/cold
    bash -c 'time cargo run --release --no-default-features --locked --offline --target-dir target/cold -- verify fixtures/andes/cup.quipu'
    rm -rf target/cold
    bash -c 'time cargo build --release --locked --offline --package quipu --target-dir target/cold'

# Kills the service `kills` times under load, imports and backups a tenth as often, fills a disk, and checks that no acknowledged record is lost
faults kills="1000": (_build "chaos")
    {{target}}/chaos {{kills}}

# Flips `flips` bytes of an archive, one at a time, and checks that `archive check` finds each that changes a response
flips flips="5000" seed="1532":
    cargo run --release -p quipu-tests-service --bin flips -- {{flips}} {{seed}}

# Runs `operations` random operations of every kind on an archive, with checks and rebuilds in between
operations operations="1000000" seed="1532":
    cargo run --release -p quipu-tests-service --bin operations -- {{operations}} {{seed}}

# Loads the service at full rate for `seconds` seconds, then overloads it, abuses the protocol, and starts a thousand
# hostile clients of each kind; `just load 180 hostile feed` runs one phase with one kind of client
load seconds="1800" *phase: (_build "load_test")
    {{target}}/load_test {{seconds}} {{phase}}

# Plays a round of 500 players with all 250 boards live and 2000 spectators for `seconds` seconds, at most 60
cup-load seconds="60": (_build "load_test")
    {{target}}/load_test {{seconds}} cup

# Draws the pictures of the guide, which tests compare byte by byte
pictures:
    cargo run --release --quiet -- draw fixtures/andes/cup.quipu --record 2 --ply 25 --theme light --lang es -o docs/pictures/andes.light.svg
    cargo run --release --quiet -- draw fixtures/andes/cup.quipu --record 2 --ply 25 --theme dark --lang en -o docs/pictures/andes.dark.svg
    cargo run --release --quiet -- draw fixtures/pastores/games.quipu --record 1 --ply 26 --theme light --lang es -o docs/pictures/pastores.light.svg
    cargo run --release --quiet -- draw fixtures/pastores/games.quipu --record 1 --ply 26 --theme dark --lang en -o docs/pictures/pastores.dark.svg
    cargo run --release --quiet -- draw fixtures/querni/games.quipu --record 1 --ply 9 --theme light --lang es -o docs/pictures/querni.light.svg
    cargo run --release --quiet -- draw fixtures/querni/games.quipu --record 1 --ply 9 --theme dark --lang en -o docs/pictures/querni.dark.svg
    cargo run --release --quiet -- draw fixtures/brandubh/games.quipu --record 1 --ply 4 --theme light --lang es -o docs/pictures/brandubh.light.svg
    cargo run --release --quiet -- draw fixtures/brandubh/games.quipu --record 1 --ply 4 --theme dark --lang en -o docs/pictures/brandubh.dark.svg

# Builds the program together with one that starts it
_build bin:
    cargo build --release --locked -p quipu -p quipu-tests-service --bin quipu --bin {{bin}}
