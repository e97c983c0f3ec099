import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { isolatedDeclarationSync } from 'oxc-transform';

/**
 * Writes the types of the entries of the package into `dist/types`: their declarations, and those
 * of the files that declare what they name.
 */
const ENTRIES = ['schema', 'security', 'soapstone'].map((name) => `src/library/${name}.ts`);
const TO = 'dist/types';

/** An export or import of names from another file. */
const NAMED = /^(import|export)( type)? \{([^}]*)\} from "(\.[^"]+)";$/gm;

const written = new Set();
/** Writes the declarations of a file, and of each that it names. */
function write(file) {
  if (written.has(file)) return;
  written.add(file);
  const text = declarationsOf(file).replace(NAMED, (_whole, keyword, type, list, from) =>
    namesIn(list)
      .map((name) => direct(file, keyword, type !== undefined, name, from))
      .join('\n'),
  );
  const target = join(TO, file.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

/** One name from the file that declares it: a face names many more. */
function direct(file, keyword, isType, { isType: isOwnType, name, as }, from) {
  const [home, there] = homeOf(sourceAt(file, from), name);
  write(home);
  const path = posix.relative(posix.dirname(file), home).replace(/\.ts$/, '.js');
  const renamed = there === as ? there : `${there} as ${as}`;
  const type = isType || isOwnType ? ' type' : '';
  return `${keyword}${type} { ${renamed} } from '${path.startsWith('.') ? path : `./${path}`}';`;
}

/** The file that declares an export of this file, and the name it has there. */
function homeOf(file, name) {
  for (const [, keyword, , list = '', from = ''] of declarationsOf(file).matchAll(NAMED)) {
    const found = keyword === 'export' && namesIn(list).find((each) => each.as === name);
    if (found) return homeOf(sourceAt(file, from), found.name);
  }
  return [file, name];
}

function declarationsOf(file) {
  const { code, errors } = isolatedDeclarationSync(file, readFileSync(file, 'utf8'));
  if (errors.length > 0) {
    throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`);
  }
  return code;
}

const sourceAt = (file, from) => posix.join(posix.dirname(file), from.replace(/\.js$/, '.ts'));

const namesIn = (list) =>
  list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      const isType = each.startsWith('type ');
      const [name = '', as = name] = each.replace(/^type /, '').split(' as ');
      return { isType, name, as };
    });

rmSync(TO, { recursive: true, force: true });
for (const entry of ENTRIES) {
  write(entry);
}
