// Forms of an organiser: the token of this device, and forms that are sent again until they arrive. Sending one twice does no harm.

const WAIT = 3000;
/** Time limit of a request, above that of the service, whose answer says more. */
const PATIENCE = 40000;

/** The token that live scoring keeps on this device, if there is one. */
const storedToken = () => {
  try {
    return localStorage.getItem('quipu.token');
  } catch {
    return null;
  }
};

/** Waits so long, or until there may be a connection again. */
const pause = wait =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, wait);
    addEventListener('online', () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Milliseconds after which to send again: what a proxy answers without a service, or a service with too many requests; else 0. */
const again = answer => {
  if (answer.status === 429) return 1000 * Number(answer.headers.get('Retry-After'));
  return answer.status === 502 || answer.status === 504 ? WAIT : 0;
};

/** Sends a form until there is an answer, and returns its page. */
const send = async (form, fields, waiting) => {
  for (;;) {
    let wait = WAIT;
    try {
      // Files take a while on a slow line.
      const signal = AbortSignal.timeout(fields instanceof FormData ? 15 * PATIENCE : PATIENCE);
      const answer = await fetch(form.action, { method: 'POST', headers: { Accept: 'text/html' }, body: fields, signal });
      const text = await answer.text();
      wait = again(answer);
      if (!wait) return { ok: answer.ok, page: new DOMParser().parseFromString(text, 'text/html') };
    } catch {
      // No connection, or no answer in time.
    }
    waiting.hidden = false;
    await pause(wait);
  }
};

/** Shows an answer in the place of the form. */
const show = (page, main, token) => {
  document.querySelector('main').replaceWith(document.adoptNode(main));
  document.title = page.title;
  main.focus();
  scrollTo(0, 0);
  start(token);
};

/** The words of the page of an error. */
const words = main => {
  const alerts = main.querySelectorAll('[role=alert]');
  return [...(alerts.length ? alerts : main.querySelectorAll('h1, h1 ~ p'))].map(part => part.textContent).join(' ');
};

/** Makes the form of the page send itself; `token` is the one that was typed before. */
const start = token => {
  const form = document.querySelector('form[data-resend]');
  if (!form) return;
  const [waiting, failed] = ['#waiting', '#failed'].map(id => form.querySelector(id));
  const unknown = failed.textContent;
  /** Edits during the wait would be lost with the form. */
  const setBusy = busy => {
    form.ariaBusy = String(busy);
    for (const part of form.children) if (part !== waiting) part.inert = busy;
  };
  form.elements.token.value = token ?? storedToken() ?? '';
  const drop = document.getElementById('drop');
  if (drop) drop.hidden = false;
  form.addEventListener('submit', async event => {
    // A button that opens another page.
    if (event.submitter?.hasAttribute('formaction')) return;
    // A file to print comes in a window of its own.
    if (event.submitter?.formTarget === '_blank') return;
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    const data = new FormData(form);
    const fields = form.enctype === 'multipart/form-data' ? data : new URLSearchParams(data);
    // Not every browser takes the button as a second argument above.
    if (event.submitter?.name) fields.append(event.submitter.name, event.submitter.value);
    failed.hidden = true;
    setBusy(true);
    const slow = setTimeout(() => (waiting.hidden = false), WAIT);
    try {
      const { ok, page } = await send(form, fields, waiting);
      const main = page.querySelector('main');
      // An error without the form would take what was typed away.
      if (main && (ok || main.querySelector('form[data-resend]'))) return show(page, main, fields.get('token'));
      failed.textContent = main ? words(main) : unknown;
      failed.hidden = false;
    } finally {
      clearTimeout(slow);
      waiting.hidden = true;
      setBusy(false);
      if (!failed.hidden) event.submitter?.focus();
    }
  });
};

// Files may be dropped anywhere on a page that takes them.
const carries = event => document.getElementById('drop') && event.dataTransfer?.types.includes('Files');
const markDrop = is => document.getElementById('drop')?.classList.toggle('over', is);
addEventListener('dragover', event => {
  if (!carries(event)) return;
  event.preventDefault();
  markDrop(true);
});
addEventListener('dragleave', () => markDrop(false));
addEventListener('drop', event => {
  if (!carries(event)) return;
  event.preventDefault();
  markDrop(false);
  const files = document.getElementById('files');
  if (!event.dataTransfer.files.length || files.closest('[inert]')) return;
  files.files = event.dataTransfer.files;
  files.form.requestSubmit(document.getElementById('check'));
});
start();
