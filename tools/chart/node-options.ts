import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeOptions } from '@berth/process/testing'
import { parse } from 'yaml'

interface Entry {
  readonly flags: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
}

const FILE = join(import.meta.dirname, '../../charts/berth/files/node-options.yaml')

/** Reads how the chart runs the bundle of an app. */
export function nodeOptions(app: 'advertiser' | 'device-plugin' | 'extender' | 'scheduler'): Required<NodeOptions> {
  const { flags, env } = (parse(readFileSync(FILE, 'utf8')) as Readonly<Record<typeof app, Entry>>)[app]
  return { nodeFlags: flags, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) }
}
