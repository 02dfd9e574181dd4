// The page that checks scoresheets: files dropped anywhere on it, lines of findings selected in the text, games replayed
// where they stand, and the token of this device.
const form = document.getElementById('check');
const text = document.getElementById('text');
const file = document.getElementById('file');
const drop = document.getElementById('drop');

if (form && file && drop) {
  const carries = event => event.dataTransfer?.types.includes('Files');

  document.addEventListener('dragover', event => {
    if (!carries(event)) return;
    event.preventDefault();
    drop.classList.add('over');
  });
  document.addEventListener('dragleave', () => drop.classList.remove('over'));
  document.addEventListener('drop', event => {
    if (!carries(event)) return;
    event.preventDefault();
    drop.classList.remove('over');
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  drop.hidden = false;

  /** Selects a line of the text, counted from 1. */
  const select = line => {
    const lines = text.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((length, one) => length + one.length + 1, 0);
    text.focus({ preventScroll: true });
    text.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
    // The text is not wrapped, so that all its lines are of one height.
    text.scrollTop = ((line - 1) / lines.length) * text.scrollHeight - text.clientHeight / 2;
    text.scrollLeft = 0;
    text.scrollIntoView({ block: 'center' });
  };
  document.addEventListener('click', event => {
    const link = event.target.closest('a[data-line]');
    if (!link || !text.value) return;
    event.preventDefault();
    select(Number(link.dataset.line));
  });

  // The desk keeps it under this name.
  const token = document.getElementById('token');
  try {
    const kept = token && localStorage.getItem('quipu.token');
    if (kept) {
      token.value = kept;
      document.getElementById('device-token').hidden = false;
    }
  } catch {
    // This browser stores nothing for this address: the token is typed.
  }

  /** Puts a replayed game into the place of an earlier position of it, or below the record of the button. */
  const put = (shown, button) => {
    const before = document.querySelector(`.game[data-replay="${shown.dataset.replay}"]`);
    if (before) return before.replaceWith(shown);
    const article = button.closest('article');
    article?.querySelector('[data-replay]')?.remove();
    if (article) article.querySelector('.judged').after(shown);
    else button.replaceWith(shown);
  };

  let wanted = null;
  const replay = async button => {
    const busy = wanted !== null;
    wanted = button;
    if (busy) return;
    try {
      while (wanted) {
        const now = wanted;
        const fields = new FormData(form);
        fields.append('replay', now.value);
        // The text is replayed, and needs no token.
        fields.delete('file');
        fields.delete('token');
        const answer = await fetch(form.action, { method: 'POST', headers: { Accept: 'text/html' }, body: fields });
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const shown = page.querySelector('.game[data-replay]');
        if (!shown) throw new Error(answer.statusText);
        put(document.adoptNode(shown), now);
        const same = now.closest('td') ? `td [value="${now.value}"]` : `[data-go="${now.dataset.go ?? 'next'}"]`;
        shown.querySelector(same)?.focus({ preventScroll: true });
        if (wanted === now) wanted = null;
      }
    } catch {
      // The page of the server shows the error.
      const button = wanted;
      wanted = null;
      form.removeEventListener('submit', submitted);
      if (button.form) form.requestSubmit(button);
    }
  };
  const submitted = event => {
    if (event.submitter?.name !== 'replay') return;
    event.preventDefault();
    replay(event.submitter);
  };
  form.addEventListener('submit', submitted);

  const keys = { ArrowLeft: 'previous', ArrowRight: 'next', Home: 'first', End: 'last' };
  document.addEventListener('keydown', event => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const button = event.target.closest('.game[data-replay]')?.querySelector(`[data-go="${keys[event.key]}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
