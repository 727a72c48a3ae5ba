import assert from 'node:assert/strict'
import { BerthError } from '@berth/types'
import { readCommandLine, type CommandDefinition, type CommandLine } from '../../src/command.ts'

const definition: CommandDefinition = {
  name: 'tool',
  summary: 'Does something.',
  arguments: [{ name: 'FILE', description: 'A file.', isRepeatable: true }],
  flags: [
    { name: 'count', short: 'c', placeholder: 'N', range: { min: 0, max: 100 }, description: 'A number.' },
    { name: 'output', short: 'o', placeholder: 'FORMAT', choices: ['json', 'yaml'], description: 'A format.' },
    { name: 'label', placeholder: 'KEY=VALUE', isRepeatable: true, description: 'Labels.' },
    { name: 'all', short: 'A', description: 'A switch.' },
  ],
  examples: [{ command: 'tool x', description: 'One file' }],
}

class UsageRefusal extends BerthError {
  constructor() {
    super('read the command line: not accepted', { code: 'BERTH_FUZZ_USAGE' })
  }
}

export const contract: string =
  'Numbers are in their range, choices are known, and words after "--" are kept as they are.'
export const refusals: readonly unknown[] = [UsageRefusal]
export const dictionary: readonly string[] = [
  '--count',
  '-c',
  '--count=',
  '--output',
  'json',
  '-o',
  '--label',
  'a=b',
  '--all',
  '-A',
  '--',
  '--no-',
  '--help',
  '-h',
  '\n',
  '-Ac3',
  '7',
]

export function parse(input: Uint8Array): { readonly argv: readonly string[]; readonly line: CommandLine } {
  const argv = Buffer.from(input).toString().split('\n')
  const read = readCommandLine(definition, argv)
  if (read.kind === 'exit') throw new UsageRefusal()
  return { argv, line: read.line }
}

export function verify({ argv, line }: ReturnType<typeof parse>): void {
  const count = line.number('count')
  assert.ok(count === undefined || (Number.isInteger(count) && count >= 0 && count <= 100))
  assert.ok(['json', 'yaml', undefined].includes(line.text('output')))
  const end = argv.indexOf('--')
  const isEnd = end >= 0 && !['--count', '-c', '--output', '-o', '--label'].includes(argv[end - 1] ?? '')
  if (isEnd) assert.deepEqual(line.words.slice(line.words.length - (argv.length - end - 1)), argv.slice(end + 1))
}
