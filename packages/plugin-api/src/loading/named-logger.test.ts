import type { Logger } from '@berth/types'
import { expect, test } from 'vitest'
import { namedLogger } from './named-logger.ts'

test.for(['debug', 'info', 'warn', 'error'] as const)('%s lines carry the name of the plugin', (level) => {
  const lines: unknown[] = []
  const record = (name: string) => (fields: unknown, message: string) => void lines.push([name, fields, message])
  const log: Logger = { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
  namedLogger(log, 'chaos-dice')[level]({ roll: 3 }, 'Rolled')
  expect(lines).toEqual([[level, { plugin: 'chaos-dice', roll: 3 }, 'Rolled']])
})
