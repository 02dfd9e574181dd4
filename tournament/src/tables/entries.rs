//! The entry list.

use super::{Tables, TournamentTable, Value};

impl Tables<'_> {
    /// The entry list, with late entries, withdrawals and absences.
    pub fn entries(&self) -> TournamentTable {
        let columns = vec![
            self.numbers("column.number"),
            self.texts("column.player"),
            self.numbers("column.rating"),
            self.texts("column.id"),
            self.texts("column.federation"),
            self.texts("column.club"),
            self.texts("column.title"),
            self.texts("column.sex"),
            self.texts("column.born"),
            self.numbers("column.first"),
            self.numbers("column.withdrawn"),
            self.texts("column.absent"),
        ];
        let rows = self.tournament.ids().zip(&self.tournament.entrants).map(|(id, entrant)| {
            let player = &entrant.player;
            let text = |text: &Option<String>| Value::or_empty(text.as_deref(), Value::text);
            let absent: Vec<_> = entrant.absences.keys().map(u32::to_string).collect();
            vec![
                Value::whole(id.0),
                Value::text(&player.name),
                Value::or_empty(player.rating, Value::whole),
                text(&player.id),
                text(&player.federation),
                text(&player.club),
                text(&player.title),
                Value::or_empty(player.sex, Value::text),
                text(&player.born),
                Value::whole(entrant.first),
                Value::or_empty(entrant.withdrawn, Value::whole),
                if absent.is_empty() { Value::Empty } else { Value::Text(absent.join(", ")) },
            ]
        });
        let (name, event) = (self.word("table.entries").to_owned(), &self.tournament.settings.name);
        let title = self.fill("table.title", &[("event", event), ("table", &name)]);
        TournamentTable { name, title, columns, fixed: 2, rows: rows.collect(), note: None }
    }
}
