// Names of players and events while one types: the inputs with `data-names`, which is the address of the search.

const WAIT = 150;
const SHOWN = 10;

/** An option. Browsers show only those that contain the text as typed, accents included. */
const option = (name, text) => {
  const made = document.createElement('option');
  made.value = name;
  if (!name.toLowerCase().includes(text.toLowerCase())) made.label = text;
  return made;
};

for (const input of document.querySelectorAll('input[data-names]')) {
  let waiting;
  const suggest = async () => {
    const text = input.value.trim();
    if (!text) return;
    const query = new URLSearchParams({ q: text, limit: SHOWN });
    // Without suggestions the page works as it does without a script.
    const answer = await fetch(`${input.dataset.names}?${query}`).catch(() => null);
    if (!answer?.ok || input.value.trim() !== text) return;
    const { items } = await answer.json();
    input.list.replaceChildren(...items.map(({ name }) => option(name, text)));
  };
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(suggest, WAIT);
  });
}
