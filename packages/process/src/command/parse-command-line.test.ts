import { describe, expect, test } from 'vitest'
import type { CommandDefinition } from './command-definition.ts'
import { parseCommandLine } from './parse-command-line.ts'
import { readCommandLine } from './read-command-line.ts'

const definition: CommandDefinition = {
  name: 'npm run probe --',
  summary: 'Shows what it was given.',
  arguments: [
    { name: 'KIND', description: 'What to probe.', isRequired: true, choices: ['pod', 'node'] },
    { name: 'NAME', description: 'Names.', isRepeatable: true },
  ],
  flags: [
    { name: 'namespace', short: 'n', placeholder: 'NAME', description: 'A name.' },
    { name: 'label', placeholder: 'LABEL', isRepeatable: true, description: 'Labels.' },
    { name: 'output', short: 'o', placeholder: 'FORMAT', choices: ['json', 'yaml'], description: 'Format.' },
    { name: 'count', placeholder: 'N', range: { min: 1, max: 100 }, description: 'How many.' },
    { name: 'all', description: 'All.' },
  ],
  examples: [{ command: 'npm run probe -- pod', description: 'Probe a pod' }],
}

const parse = (...argv: string[]) => parseCommandLine(definition, argv)

describe('parseCommandLine', () => {
  test('reads flags, repeatable flags, numbers, switches and arguments', () => {
    const { line, problems } = parse(
      'pod',
      'a',
      '-n',
      'shop',
      '--label=x',
      '--label',
      'y',
      '--count',
      '7',
      '--all',
      'b',
    )
    expect(problems).toEqual([])
    expect(line.words).toEqual(['pod', 'a', 'b'])
    expect(line.text('namespace')).toBe('shop')
    expect(line.texts('label')).toEqual(['x', 'y'])
    expect([line.number('count'), line.has('all')]).toEqual([7, true])
  })

  test('reports what was not given as absent', () => {
    const { line } = parse('pod')
    expect([line.text('namespace'), line.texts('label'), line.number('count'), line.has('all')]).toEqual([
      undefined,
      [],
      undefined,
      false,
    ])
  })

  test('takes the last value of a flag, and a switch back', () => {
    const { line } = parse('pod', '-n', 'a', '-n=b', '--all', '--no-all')
    expect([line.text('namespace'), line.has('all')]).toEqual(['b', false])
  })

  test.for([
    { argv: ['pod', '--nmaespace', 'x'], problem: 'unknown flag --nmaespace; did you mean --namespace?' },
    { argv: ['pod', '--zzz'], problem: 'unknown flag --zzz' },
    { argv: ['pod', '-z'], problem: 'unknown flag -z' },
    { argv: ['pod', '-n'], problem: '-n needs a value' },
    { argv: ['pod', '--namespace', '--all'], problem: '--namespace needs a value' },
    { argv: ['pod', '-o', 'xml'], problem: '--output xml: expected one of json, yaml' },
    { argv: ['pod', '--count', 'many'], problem: '--count many: expected a whole number from 1 to 100' },
    { argv: ['pod', '--count', '101'], problem: '--count 101: expected a whole number from 1 to 100' },
    { argv: ['pod', '--count', '1.5'], problem: '--count 1.5: expected a whole number from 1 to 100' },
    { argv: ['pod', '--all=maybe'], problem: '--all maybe: expected true or false' },
    { argv: [], problem: 'missing argument KIND' },
    { argv: ['nodee'], problem: 'KIND "nodee": expected one of pod, node; did you mean node?' },
  ])('refuses $argv', ({ argv, problem }) => {
    expect(parse(...argv).problems).toEqual([problem])
  })

  test('refuses an argument too many', () => {
    const { problems } = parseCommandLine({ flags: [] }, ['x'])
    expect(problems).toEqual(['unexpected argument "x"'])
  })

  test('a request for help has no problems', () => {
    expect(parse('--help', '--count', 'many')).toMatchObject({ isHelp: true, problems: [] })
  })
})

describe('readCommandLine', () => {
  test('prints the help and exits with 0', () => {
    const read = readCommandLine(definition, ['-h'])
    expect(read).toMatchObject({ kind: 'exit', code: 0 })
    expect(read.kind === 'exit' && read.text).toBe(`Shows what it was given.

Usage:
  npm run probe -- [flags] KIND [NAME...]

Arguments:
  KIND
      What to probe. One of pod, node.
  [NAME...]
      Names.

Examples:
  # Probe a pod
  npm run probe -- pod

Flags:
  -n, --namespace NAME
      A name.
  --label LABEL ...
      Labels.
  -o, --output json|yaml
      Format.
  --count N
      How many.
  --all
      All.
  -h, --help
      Print this text and exit.
`)
  })

  test('names every mistake and the help, and exits with 2', () => {
    expect(readCommandLine(definition, ['pod', '--count=0', '-o', 'xml'])).toEqual({
      kind: 'exit',
      code: 2,
      text: '--output xml: expected one of json, yaml; --count 0: expected a whole number from 1 to 100. Run: npm run probe -- --help\n',
    })
    expect(readCommandLine(definition, ['pod', '--cont=1'])).toMatchObject({
      text: 'unknown flag --cont; did you mean --count? Run: npm run probe -- --help\n',
    })
  })
})
