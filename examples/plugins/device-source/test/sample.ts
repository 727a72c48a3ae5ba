import { join } from 'node:path'
import type { RunDeviceSourceOptions } from '@berth/plugin-api/testing'

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'example-seat-file', RunDeviceSourceOptions>> = {
  'example-seat-file': { args: { file: join(import.meta.dirname, 'seats') } },
}
