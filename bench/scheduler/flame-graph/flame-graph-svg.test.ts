import { expect, test } from 'vitest'
import { flameGraphSvg } from './flame-graph-svg.ts'
import type { StackFrame } from './merge-stacks.ts'

function frame(name: string, us: number, ...callees: readonly StackFrame[]): StackFrame {
  return { name, us, callees: new Map(callees.map((callee) => [callee.name, callee])) }
}

const root = frame(
  'all',
  1_000,
  frame('(garbage collector)', 100),
  frame(
    'run src/main',
    900,
    frame('observe prom-client', 300),
    frame('emit node:events', 500),
    frame('<a & "b"> src/x', 0.1),
  ),
)
const svg = flameGraphSvg('one <case>', 'a note', root)

test('flameGraphSvg draws callers above their callees, the longest first, and leaves out what is too small to see', () => {
  const frames = Array.from(
    svg.matchAll(/<title>(.*?): (.*?)<\/title><rect class="frame (\w+)" x="(.*?)" y="(\d+)" width="(.*?)"/g),
    ([, ...all]) => all,
  )
  expect(frames).toEqual([
    ['run src/main', '90.0 %', 'berth', '10', '60', '1062'],
    ['emit node:events', '50.0 %', 'node', '10', '77', '590'],
    ['observe prom-client', '30.0 %', 'dependency', '600', '77', '354'],
    ['(garbage collector)', '10.0 %', 'collector', '1072', '60', '118'],
  ])
})

test('flameGraphSvg escapes names and the title', () => {
  expect(svg).toContain('>one &lt;case></text>')
  expect(flameGraphSvg('t', 'n', frame('all', 1, frame('<a & "b">', 1)))).toContain(
    '<title>&lt;a &amp; &quot;b&quot;>: 100.0 %</title>',
  )
})

test('flameGraphSvg draws nothing of a profile without samples', () => {
  expect(flameGraphSvg('t', 'n', frame('all', 0))).not.toContain('class="frame')
})
