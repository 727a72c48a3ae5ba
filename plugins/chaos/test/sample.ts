import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark. Any nodes and pods will do. */
export const samples: Readonly<Record<string, RunSchedulingPluginOptions>> = {
  'chaos-random-score': {},
  'chaos-coin-flip': {},
  'chaos-dice': {},
}
