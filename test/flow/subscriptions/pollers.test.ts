import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { compile } from '../../../src/compile.js';
import { loadConfig } from '../../../src/config/load.js';
import { schemaWith, wsdlWith } from '../../wsdl/written.js';

t.test(
  'processes share polls of a service only with the same configuration and WSDL',
  async (t) => {
    const digest = async (wsdl: string, keys: string): Promise<string> => {
      const folder = t.testdir({});
      await writeFile(join(folder, 'a.wsdl'), wsdl);
      const file = join(folder, 'soapstone.yaml');
      await writeFile(file, `services: { a: { wsdl: a.wsdl, url: 'http://127.0.0.1:1/'${keys} } }`);
      const compiled = await compile(await loadConfig(file, {}));
      await compiled.close();
      return compiled.services.map(({ digest }) => digest()).join();
    };
    const first = await digest(wsdlWith({}), '');
    t.equal(await digest(wsdlWith({}), ''), first);
    t.not(
      await digest(wsdlWith({}), ', headers: { x-system: other }'),
      first,
      'another configuration',
    );
    const other = wsdlWith({ types: schemaWith('').replace('type="xs:string"', 'type="xs:int"') });
    t.not(await digest(other, ''), first, 'another WSDL');
  },
);
