// Drag and drop: a file dropped anywhere on the page is put into the form and submitted.
const form = document.getElementById('check');
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
}
