/** Resource sources that query a server over HTTP. */
import type { BerthPlugin } from '@berth/plugin-api'
import { httpJson } from './http-json.ts'
import { prometheus } from './prometheus.ts'

export const plugins: readonly BerthPlugin[] = [httpJson, prometheus]
