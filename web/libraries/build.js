// Makes ../app/lib/vendor.js and ../app/lib/LICENSES.txt. The same sources give the same bytes.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const lib = process.argv[2] ?? '../app/lib';

const { metafile } = await build({
  entryPoints: ['entry.js'],
  outfile: `${lib}/vendor.js`,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none', // LICENSES.txt has them
  metafile: true,
});

const packages = new Set(
  Object.keys(metafile.inputs).map(file => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean),
);
writeFileSync(`${lib}/LICENSES.txt`, licences([...packages].sort()));

/** The packages with their licences; those under the same words stand together. */
function licences(names) {
  const titles = new Map();
  for (const { title, text } of names.map(read)) titles.set(text, [...(titles.get(text) ?? []), title]);
  const sections = [...titles].map(([text, list]) => `${list.join('\n')}\n\n${text}\n`);
  return `vendor.js is made of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function read(name) {
  const folder = `node_modules/${name}`;
  const file = readdirSync(folder).find(file => /^licen[cs]e/i.test(file));
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`));
  return { title: `${name} ${version} (${license})`, text: readFileSync(`${folder}/${file}`, 'utf8').trim() };
}
