// The way of a piece that is tapped along: it fades where it stood, and is seen where it was tapped last.

import { lastResponse } from './score.js';
import { $ } from './ui.js';

/** Radius of a piece, in squares. */
const PIECE = 0.4;

const draw = (name, attributes, ...inside) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
};

/** The squares that the piece tapped first touched, by their index: empty ones, and the one that it left. */
const way = desk => {
  const { cells } = lastResponse(desk).board;
  const indices = desk.taps.map(name => cells.findIndex(cell => cell.name === name));
  // A square without a piece has only its name as its label.
  const isFree = index => index === indices[0] || (index >= 0 && cells[index].label === cells[index].name);
  const stop = indices.findIndex(index => !isFree(index));
  return indices[0] < 0 ? [] : indices.slice(0, stop < 0 ? indices.length : stop);
};

/** Shows the piece on its way, over the picture of the board at this address. */
export const showMoving = (desk, picture) => {
  const { columns, margin, cells } = lastResponse(desk).board;
  const place = $('moving');
  const touched = way(desk);
  if (touched.length < 2) return place.replaceChildren();
  const edge = margin / 100;
  const [wide, high] = [columns + 2 * edge, cells.length / columns + 2 * edge];
  const middles = touched.map(index => [edge + (index % columns) + 0.5, edge + Math.floor(index / columns) + 0.5]);
  const [[fromX, fromY], [x, y]] = [middles[0], middles.at(-1)];
  place.setAttribute('viewBox', `0 0 ${wide} ${high}`);
  place.replaceChildren(
    draw('clipPath', { id: 'moved' }, draw('circle', { cx: x, cy: y, r: PIECE })),
    draw('circle', { class: 'left', cx: fromX, cy: fromY, r: PIECE }),
    draw('polyline', { points: middles.map(middle => middle.join()).join(' ') }),
    draw('image', { href: picture, x: x - fromX, y: y - fromY, width: wide, height: high, 'clip-path': 'url(#moved)' }),
  );
};
