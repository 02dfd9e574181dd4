// Elements and messages of the pages of live scoring.

export const $ = id => document.getElementById(id);
export const root = $('keep') ?? $('desk');

const words = JSON.parse(root.dataset.say);
export const say = (key, values = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');

/** Makes an element with attributes and children. */
export const make = (name, attributes = {}, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'click') made.addEventListener('click', value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...inside);
  return made;
};
export const button = (text, click, attributes = {}) => make('button', { type: 'button', click, ...attributes }, text);

/** Replaces the children of an element, unless they are the same, so that the keyboard focus is not lost. */
export const fill = (element, things) => {
  const held = make('div', {}, ...things);
  if (held.innerHTML === element.innerHTML && !things.some(thing => thing.tagName === 'BUTTON')) return;
  const focused = element.contains(document.activeElement) ? document.activeElement.textContent : null;
  element.replaceChildren(...held.childNodes);
  if (focused === null) return;
  [...element.querySelectorAll('button, a')].find(one => one.textContent === focused)?.focus();
};

/** Shows a notice, or hides it if there is nothing to show. */
export const showNotice = (...inside) => {
  const place = $('trouble');
  fill(place, inside);
  place.hidden = !inside.length;
};
