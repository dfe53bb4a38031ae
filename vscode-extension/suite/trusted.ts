// In a workspace that is trusted, while an agent works in it.
import { features } from './features';
import { graphs } from './graphs';
import { begin, end } from './lifecycle';
import { live } from './live';
import { records } from './records';
import * as suite from './run';

export const run = (): Promise<void> => suite.run({ ...begin, ...live, ...features, ...graphs, ...records, ...end });
