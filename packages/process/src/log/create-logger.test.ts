import { BerthError } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { LogLevel } from '../log-level.ts'
import { createLogger } from './create-logger.ts'

function recorder(level: LogLevel) {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }
  return { lines, log: createLogger({ component: 'sample', level, destination }) }
}

describe('createLogger', () => {
  test('writes one JSON object per line with level, time, component and fields', () => {
    const { lines, log } = recorder('info')
    log.info({ node: 'node-a' }, 'Node added')
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        component: 'sample',
        node: 'node-a',
        msg: 'Node added',
      },
    ])
  })

  test.for([
    { format: 'auto', isTTY: true, isText: true },
    { format: 'auto', isTTY: false, isText: false },
    { format: 'text', isTTY: false, isText: true },
    { format: 'json', isTTY: true, isText: false },
  ] as const)('format $format on a terminal ($isTTY) is text: $isText', ({ format, isTTY, isText }) => {
    const raw: string[] = []
    const destination = { isTTY, write: (line: string) => void raw.push(line) }
    createLogger({ component: 'sample', level: 'info', format, destination }).info({ node: 'node-a' }, 'Node added')
    expect(raw[0]?.startsWith('{')).toBe(!isText)
  })

  test('text has time, level, component, message, fields and the error with code and hint', () => {
    const raw: string[] = []
    const destination = { write: (line: string) => void raw.push(line) }
    const log = createLogger({ component: 'sample', level: 'info', format: 'text', destination })
    const err = new BerthError('bind pod', { code: 'BERTH_X', hint: 'Look.' })
    log.warn({ node: 'node-a', change: 'x: 0 -> 4', list: ['a'], err }, 'Not bound')
    log.error({ err: new TypeError('x is undefined') }, 'Failed\u001B[2K\u202E')
    expect(raw[0]?.replace(/^\S+Z /, '')).toBe(
      'WARN  sample: Not bound node=node-a change="x: 0 -> 4" list=["a"] err="bind pod" (BERTH_X) hint=Look.\n',
    )
    const lines = (raw[1] ?? '').split('\n')
    expect(lines[0]).toMatch(/^\S+Z ERROR sample: Failed err="x is undefined"$/)
    expect(lines[2]).toMatch(/^ {6}at /)
  })

  test('says nothing below its level', () => {
    const { lines, log } = recorder('warn')
    log.debug({}, 'a')
    log.info({}, 'b')
    log.warn({}, 'c')
    log.error({}, 'd')
    expect(lines.map(({ msg }) => msg)).toEqual(['c', 'd'])
  })

  test('escapes control and bidi characters', () => {
    const raw: string[] = []
    const log = createLogger({ component: 'x', level: 'info', destination: { write: (line) => void raw.push(line) } })
    log.info({ node: 'a\u202E\u009B\u001B' }, 'Node\u2066')
    expect(raw[0]).toContain(String.raw`"node":"a\u202e\u009b\u001b","msg":"Node\u2066"`)
  })

  test('a child adds its fields', () => {
    const { lines, log } = recorder('info')
    log.child({ plugin: 'chaos-dice' }).info({}, 'Rolled')
    expect(lines[0]).toMatchObject({ plugin: 'chaos-dice', component: 'sample' })
  })

  test.for([
    { level: 'info', hasStack: false },
    { level: 'debug', hasStack: true },
  ] as const)('a BerthError at level $level has a stack: $hasStack', ({ level, hasStack }) => {
    const { lines, log } = recorder(level)
    const err = new BerthError('bind pod', { code: 'BERTH_X', hint: 'Look.', cause: new Error('409') })
    log.error({ err }, 'Bind failed')
    expect(lines[0]?.['err']).toMatchObject({ code: 'BERTH_X', hint: 'Look.' })
    expect(Object.hasOwn(lines[0]?.['err'] as object, 'stack')).toBe(hasStack)
  })

  test('any other error keeps its stack at every level', () => {
    const { lines, log } = recorder('info')
    log.error({ err: new TypeError('x is undefined') }, 'Failed')
    expect(lines[0]?.['err']).toMatchObject({ type: 'TypeError', stack: expect.stringContaining('x is undefined') })
  })
})
