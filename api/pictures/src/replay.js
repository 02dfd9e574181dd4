'use strict';
(() => {
  const find = id => document.getElementById(id);
  const plies = JSON.parse(find('plies').textContent);
  const layers = document.querySelectorAll('svg > g[data-ply]');
  const moves = document.querySelectorAll('#moves button');
  const words = document.querySelector('svg > desc');
  const [now, facts, list, slider, play] = ['now', 'facts', 'moves', 'slider', 'play'].map(find);
  const [start, pause] = [play.textContent, play.dataset.pause];
  const last = plies.length - 1;
  let at = last;
  let timer = 0;

  const show = ply => {
    const next = Math.min(Math.max(ply, 0), last);
    layers[at].setAttribute('display', 'none');
    moves[at].removeAttribute('aria-current');
    at = next;
    layers[at].removeAttribute('display');
    moves[at].setAttribute('aria-current', 'step');
    // Within the list only: the page itself stays where the reader has it.
    list.scrollTop = moves[at].offsetTop - list.offsetTop - list.clientHeight / 2;
    now.textContent = plies[at].heading;
    words.textContent = plies[at].position;
    facts.replaceChildren(...plies[at].facts.map(fact => {
      const item = document.createElement('li');
      item.textContent = fact;
      return item;
    }));
    slider.value = at;
    slider.setAttribute('aria-valuetext', plies[at].heading);
    if (at === last) stop();
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = start;
  };

  const toggle = () => {
    if (timer) return stop();
    if (at === last) show(0);
    play.textContent = pause;
    timer = setInterval(() => show(at + 1), 1000);
  };

  const go = ply => {
    stop();
    show(ply);
  };

  find('first').addEventListener('click', () => go(0));
  find('previous').addEventListener('click', () => go(at - 1));
  find('next').addEventListener('click', () => go(at + 1));
  find('last').addEventListener('click', () => go(last));
  play.addEventListener('click', toggle);
  slider.addEventListener('input', () => go(Number(slider.value)));
  moves.forEach((move, ply) => move.addEventListener('click', () => go(ply)));
  const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(last), ' ': toggle };
  document.addEventListener('keydown', event => {
    const act = keys[event.key];
    const own = event.target === slider || (event.key === ' ' && event.target instanceof HTMLButtonElement);
    if (!act || own || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act();
  });

  find('controls').hidden = false;
  find('keys').hidden = false;
  show(0);
})();
