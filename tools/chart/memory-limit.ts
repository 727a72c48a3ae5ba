import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const FILE = join(import.meta.dirname, '../../charts/berth/values.yaml')

/** Reads the memory limit of an app in the values of the chart, in bytes. */
export function memoryLimit(app: 'advertiser' | 'extender' | 'scheduler'): number {
  const values = parse(readFileSync(FILE, 'utf8')) as Readonly<
    Record<typeof app, { readonly resources: { readonly limits: { readonly memory: string } } }>
  >
  const { memory } = values[app].resources.limits
  const mebibytes = /^(\d+)Mi$/.exec(memory)?.[1]
  if (mebibytes === undefined) throw new TypeError(`read the memory limit of ${app}: ${memory} is not in Mi`)
  return Number(mebibytes) * 1_048_576
}
