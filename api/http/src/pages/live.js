// Follows a game in progress: after each change the page is fetched again, and the parts that differ are replaced.
const live = document.getElementById('live');
const said = () => document.getElementById('following');

const tell = what => {
  const place = said();
  if (!place) return;
  place.hidden = false;
  place.textContent = place.dataset[what];
};

/** Shows the current state. Without an answer, tries again later. */
const show = async () => {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(() => null);
  if (answer?.status === 404) return tell('closed');
  if (!answer?.ok) {
    tell('off');
    setTimeout(show, 3000);
    return;
  }
  const from = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-part]')) {
    const other = from.querySelector(`[data-part="${part.dataset.part}"]`);
    if (other && part.innerHTML !== other.innerHTML) part.innerHTML = other.innerHTML;
  }
  live.dataset.version = from.getElementById('live').dataset.version;
  const list = document.querySelector('[data-part="moves"]');
  list.scrollTop = list.scrollHeight;
  tell('on');
};

const follow = () => {
  const feed = new EventSource(`/v1/live/${live.dataset.number}/feed?since=${live.dataset.version}`);
  feed.addEventListener('open', () => tell('on'));
  feed.addEventListener('saved', show);
  feed.addEventListener('finished', () => {
    feed.close();
    show();
  });
  feed.addEventListener('closed', () => {
    feed.close();
    tell('closed');
  });
  feed.addEventListener('error', () => {
    tell('off');
    // The browser does not retry after an error status: the game may be gone.
    if (feed.readyState !== EventSource.CLOSED) return;
    setTimeout(async () => {
      const answer = await fetch(`/v1/live/${live.dataset.number}`).catch(() => null);
      if (answer?.status === 404) tell('closed');
      else follow();
    }, 5000);
  });
};

if (live && said()) follow();
