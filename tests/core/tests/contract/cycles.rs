//! Modules form layers: within a package no module uses another that uses it, however far around.
//!
//! A module uses the one that defines a name that it imports or writes out, not the one that passes the name on. Modules of
//! tests are left out. Cycles that are still there are listed in [`KNOWN`]; a new one fails, and so does a listed one that
//! is gone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use quipu_tests_core::root;
use syn::{Attribute, Item, ItemUse, UseTree, Visibility, visit::Visit};

/// The packages whose modules are looked at.
const PACKAGES: [&str; 14] = [
    "notation",
    "referee",
    "tournament",
    "api/options",
    "api/files",
    "api/archive",
    "api/pictures",
    "api/ratings",
    "api/webhooks",
    "api/upload",
    "api/http",
    "api/python",
    "editors/server",
    "cli",
];

/// Packages that have cycles, with how many modules are in any.
const KNOWN: &[(&str, usize)] = &[];

/// A path of a module: `store::records`; empty for the root of the package.
type Name = Vec<String>;

/// Definitions, imports and uses of one file.
#[derive(Default)]
struct Module {
    /// Names that the file defines or declares, modules left out.
    defined: BTreeSet<String>,
    /// Names that the file imports from this package, with the path where they come from.
    imported: BTreeMap<String, Name>,
    /// Names that the file imports from other packages.
    foreign: BTreeSet<String>,
    /// Everything that the file passes on whole: `pub use module::*`.
    globs: Vec<Name>,
    /// Paths that the file uses.
    used: BTreeSet<Name>,
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.path().is_ident("cfg").then(|| attribute.meta.require_list().ok()).flatten();
        attribute.path().is_ident("test") || list.is_some_and(|list| list.tokens.to_string().contains("test"))
    })
}

/// Reads the modules of a package from its files.
fn modules(package: &str) -> BTreeMap<Name, Module> {
    fn walk(folder: &Path, name: &Name, found: &mut BTreeMap<Name, Module>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("it is listed").path()) {
            let stem = entry.file_stem().expect("a name").to_string_lossy().into_owned();
            let own = |stem: &str| name.iter().cloned().chain([stem.to_owned()]).collect::<Name>();
            if entry.is_dir() {
                walk(&entry, &own(&stem), found);
            } else if entry.extension().is_some_and(|ending| ending == "rs") {
                let name = if ["lib", "main", "mod"].contains(&&*stem) { name.clone() } else { own(&stem) };
                let file = syn::parse_file(&fs::read_to_string(&entry).expect("UTF-8")).expect("Rust");
                if !is_for_tests(&file.attrs) {
                    found.insert(name.clone(), read(&name, &file.items));
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&root().join(package).join("src"), &Name::new(), &mut found);
    found
}

fn read(name: &Name, items: &[Item]) -> Module {
    let mut reader = Reader { name, children: BTreeSet::new(), module: Module::default() };
    for item in items {
        if let Item::Mod(child) = item {
            reader.children.insert(child.ident.to_string());
        }
    }
    for item in items {
        reader.define(item);
        reader.visit_item(item);
    }
    reader.module
}

/// Gathers what a file defines and uses.
struct Reader<'n> {
    name: &'n Name,
    children: BTreeSet<String>,
    module: Module,
}

impl Reader<'_> {
    fn define(&mut self, item: &Item) {
        let ident = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            _ => return,
        };
        self.module.defined.insert(ident.to_string());
    }

    /// A path from the root of the package, if it leads into it.
    fn absolute(&self, path: &[String]) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        match &**first {
            "crate" => Some(rest.to_vec()),
            "self" => Some([self.name, rest].concat()),
            "super" => {
                let mut base = self.name.clone();
                base.pop()?;
                let mut rest = rest;
                while let Some((first, more)) = rest.split_first().filter(|(first, _)| *first == "super") {
                    debug_assert_eq!(first, "super");
                    base.pop()?;
                    rest = more;
                }
                Some([&base[..], rest].concat())
            }
            child if self.children.contains(child) => Some([self.name, path].concat()),
            _ => None,
        }
    }

    fn import(&mut self, before: &[String], tree: &UseTree, passes_on: bool) {
        let with = |name: &str| before.iter().cloned().chain([name.to_owned()]).collect::<Name>();
        let (path, name) = match tree {
            UseTree::Path(tree) => return self.import(&with(&tree.ident.to_string()), &tree.tree, passes_on),
            UseTree::Group(tree) => {
                for tree in &tree.items {
                    self.import(before, tree, passes_on);
                }
                return;
            }
            UseTree::Glob(_) => {
                if let Some(path) = self.absolute(before) {
                    self.module.used.insert(path.clone());
                    if passes_on {
                        self.module.globs.push(path);
                    }
                }
                return;
            }
            UseTree::Name(tree) if tree.ident == "self" => {
                (before.to_vec(), before.last().cloned().unwrap_or_default())
            }
            UseTree::Name(tree) => (with(&tree.ident.to_string()), tree.ident.to_string()),
            UseTree::Rename(tree) => (with(&tree.ident.to_string()), tree.rename.to_string()),
        };
        let Some(path) = self.absolute(&path) else {
            self.module.foreign.insert(name);
            return;
        };
        // A name that is passed on is used by the modules that import it from here, and not here.
        if !passes_on {
            self.module.used.insert(path.clone());
        }
        self.module.imported.insert(name, path);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&[], &item.tree, !matches!(item.vis, Visibility::Inherited));
    }

    /// `pub(in crate::module)` names a module and uses nothing of it.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1
            && let Some(path) = self.absolute(&segments)
        {
            self.module.used.insert(path);
        }
        syn::visit::visit_path(self, path);
    }
}

/// The module that defines what a path leads to.
fn defining(modules: &BTreeMap<Name, Module>, path: &Name, depth: usize) -> Option<Name> {
    let length = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length]))?;
    let (name, module) = (path[..length].to_vec(), &modules[&path[..length]]);
    let Some(item) = path.get(length) else { return Some(name) };
    if depth == 0 || module.defined.contains(item) {
        return Some(name);
    }
    if module.foreign.contains(item) {
        return None;
    }
    if let Some(from) = module.imported.get(item) {
        let on = [&from[..], &path[length + 1..]].concat();
        return defining(modules, &on, depth - 1);
    }
    let mut globs = module.globs.iter().map(|glob| [&glob[..], &path[length..]].concat());
    let found = globs.find_map(|path| defining(modules, &path, depth - 1));
    found.or(Some(name))
}

/// Modules that use themselves around others.
fn in_cycles(package: &str) -> BTreeSet<String> {
    let modules = modules(package);
    let uses: BTreeMap<&Name, BTreeSet<Name>> = modules
        .iter()
        .map(|(name, module)| {
            let used = module.used.iter().filter_map(|path| defining(&modules, path, 8));
            (name, used.filter(|other| other != name).collect())
        })
        .collect();
    let reached = |from: &Name| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(name) = open.pop() {
            for other in &uses[&name] {
                if seen.insert(other.clone()) {
                    open.push(other.clone());
                }
            }
        }
        seen
    };
    let cyclic = modules.keys().filter(|name| reached(name).contains(*name));
    cyclic.map(|name| if name.is_empty() { "the root".to_owned() } else { name.join("::") }).collect()
}

#[test]
fn modules_form_layers() {
    let mut other = BTreeMap::new();
    for package in PACKAGES {
        let found = in_cycles(package);
        let known = KNOWN.iter().find(|(known, _)| *known == package).map_or(0, |(_, count)| *count);
        if found.len() != known {
            other.insert(package, found);
        }
    }
    assert!(other.is_empty(), "modules in cycles, other than the known ones: {other:#?}");
}
