// Forms of an organiser: the token of this device, and forms that are sent again until they arrive. Sending one twice does no harm.

const WAIT = 3000;

/** The token that live scoring keeps on this device, if there is one. */
const storedToken = () => {
  try {
    return localStorage.getItem('quipu.token');
  } catch {
    return null;
  }
};

/** Waits until there may be a connection again. */
const pause = () =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, WAIT);
    addEventListener('online', () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Sends a form until there is an answer, and returns its page. */
const send = async (form, fields) => {
  for (;;) {
    try {
      const answer = await fetch(form.action, { method: 'POST', headers: { Accept: 'text/html' }, body: fields });
      // Those of a service that is busy, or of a proxy without one.
      if (answer.status === 429 || answer.status >= 500) throw new Error(answer.statusText);
      return await answer.text();
    } catch {
      document.getElementById('waiting').hidden = false;
      await pause();
    }
  }
};

/** Makes the form of the page send itself; `token` is the one that was typed before. */
const start = token => {
  const form = document.querySelector('form[data-resend]');
  if (!form) return;
  form.elements.token.value = token ?? storedToken() ?? '';
  form.addEventListener('submit', async event => {
    event.preventDefault();
    if (form.ariaBusy === 'true') return;
    form.ariaBusy = 'true';
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    const page = new DOMParser().parseFromString(await send(form, fields), 'text/html');
    const main = document.adoptNode(page.querySelector('main'));
    document.querySelector('main').replaceWith(main);
    document.title = page.title;
    main.focus();
    scrollTo(0, 0);
    start(fields.get('token'));
  });
};
start();
