import { type Inputs, LIVE_INPUTS } from '../base/inputs.js';
import { Problems } from '../base/problem.js';
import type { WsdlModel } from '../wsdl/model.js';
import { readWsdl } from '../wsdl/read.js';

/** Where a configuration names a WSDL. */
export interface WsdlPlace {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** Reads the WSDL of a service from its file. What is wrong with all of the file is told where the configuration names it. */
export async function readNamedWsdl(
  location: string,
  place: WsdlPlace,
  inputs: Inputs = LIVE_INPUTS,
): Promise<WsdlModel> {
  try {
    return await readWsdl(location, { fetch: null, root: null, hosts: [], inputs });
  } catch (error) {
    if (!(error instanceof Problems)) throw error;
    const problems = error.problems.map((problem) => {
      if (problem.line !== null || problem.file !== location) return problem;
      const what = problem.what.includes(location) ? problem.what : `${location}: ${problem.what}`;
      return { ...problem, ...place, what };
    });
    throw new Problems(problems);
  }
}
