// Follows a game in progress: when it was saved, the page is asked for again, and the parts that changed are put in their
// places.
const live = document.getElementById('live');
const said = () => document.getElementById('following');

const tell = what => {
  const place = said();
  place.hidden = false;
  place.textContent = place.dataset[what];
};

const show = async () => {
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
  if (!answer.ok) return;
  const from = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-part]')) {
    const other = from.querySelector(`[data-part="${part.dataset.part}"]`);
    if (other && part.innerHTML !== other.innerHTML) part.innerHTML = other.innerHTML;
  }
  live.dataset.version = from.getElementById('live').dataset.version;
  const list = document.querySelector('[data-part="moves"]');
  list.scrollTop = list.scrollHeight;
};

const follow = () => {
  const feed = new EventSource(`/v1/live/${live.dataset.number}/feed?since=${live.dataset.version}`);
  feed.addEventListener('open', () => tell('on'));
  feed.addEventListener('saved', async () => {
    await show().catch(() => {});
    tell('on');
  });
  feed.addEventListener('finished', async () => {
    feed.close();
    await show().catch(() => {});
  });
  feed.addEventListener('closed', () => {
    feed.close();
    tell('closed');
  });
  feed.addEventListener('error', () => {
    tell('off');
    // What was refused for good the browser does not try again.
    if (feed.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
  });
};

if (live && said()) follow();
