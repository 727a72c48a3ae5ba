import { parseCommandLine } from '@berth/process/command'
import { expect, test } from 'vitest'
import { benchCommand, caseProblem, flameGraphProblem } from './bench-command.ts'

const command = benchCommand([
  { name: 'fit', summary: 'the engine' },
  { name: 'other', summary: 'another part', cases: ['small', 'large'] },
])

test.for([
  { it: 'runs the named bench', argv: ['fit'], name: 'fit', isQuick: false },
  { it: 'runs it quickly', argv: ['other', '--quick'], name: 'other', isQuick: true },
  { it: 'takes flags before the name', argv: ['--quick', 'fit'], name: 'fit', isQuick: true },
])('$it', ({ argv, name, isQuick }) => {
  const { line, problems } = parseCommandLine(command, argv)
  expect([line.words, line.has('quick'), problems]).toEqual([[name], isQuick, []])
})

test.for([
  { it: 'needs a name', argv: [], problem: 'missing argument NAME' },
  { it: 'takes one name only', argv: ['fit', 'other'], problem: 'unexpected argument "other"' },
  { it: 'refuses an unknown name', argv: ['x'], problem: 'NAME "x": expected one of fit, other' },
  { it: 'refuses an unknown flag with its name', argv: ['fit', '--verbose'], problem: 'unknown flag --verbose' },
])('$it', ({ argv, problem }) => {
  expect(parseCommandLine(command, argv).problems).toEqual([problem])
})

test.for([
  { it: 'draws a case of the benchmark', flameGraphs: ['small'], wanted: 'small', problem: undefined },
  {
    it: 'draws one case only',
    flameGraphs: ['small', 'large'],
    wanted: undefined,
    problem: '--flame-graph: expected --case with one of small, large',
  },
  {
    it: 'names the cases that it can draw',
    flameGraphs: ['large'],
    wanted: 'small',
    problem: '--flame-graph: expected --case with one of large',
  },
  {
    it: 'refuses a benchmark that draws nothing',
    flameGraphs: undefined,
    wanted: 'x',
    problem: '--flame-graph: fit has no flame graphs',
  },
])('$it', ({ flameGraphs, wanted, problem }) => {
  expect(flameGraphProblem({ name: 'fit', ...(flameGraphs !== undefined && { flameGraphs }) }, wanted)).toBe(problem)
})

test.for([
  { it: 'accepts a case of the benchmark', cases: ['small', 'large'], problem: undefined },
  { it: 'names the cases of the benchmark', cases: ['large'], problem: '--case small: expected one of large' },
  { it: 'refuses a case of a benchmark without cases', cases: undefined, problem: '--case small: fit has no cases' },
])('$it', ({ cases, problem }) => {
  expect(caseProblem({ name: 'fit', ...(cases !== undefined && { cases }) }, 'small')).toBe(problem)
})
