import type { RunResourceSourceOptions } from '@berth/plugin-api/testing'
import { jsonServer } from './json-server.ts'

/** An instant vector with one sample, as Prometheus prints it. */
export const vector = (...samples: readonly (readonly [labels: object, value: string])[]): object => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: samples.map(([metric, value]) => ({ metric, value: [1_767_225_600.5, value] })),
  },
})

// It does not keep the process alive.
const { origin } = await jsonServer((path) => (path.startsWith('/api/v1/query') ? vector([{}, '7.5']) : { free: 12 }))
const common = { origins: [{ origin }], nodes: [{ metadata: { name: 'node-a' } }] }

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'http-json' | 'prometheus', RunResourceSourceOptions>> = {
  'http-json': { args: { url: `${origin}/seats`, pointer: '/free' }, ...common },
  prometheus: { args: { url: origin, query: 'sum(seats)' }, ...common },
}
