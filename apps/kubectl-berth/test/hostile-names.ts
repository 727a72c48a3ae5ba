import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect } from 'vitest'

// A command that is not quoted runs something else than these two, which the shell does not find: PATH is empty.
const preamble = 'kubectl() { return 0; }\nsed() { return 0; }\nset -e -u -C\n'

/** Names of objects: valid ones, and ones that a shell or a terminal would obey. */
export const hostile: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('web', 'node-a', 'example.com/dongle', 'Deployment', 'apps/v1') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'web -n default; touch X; #',
      '$(touch X)',
      "x'; touch X; '",
      '../../x > X',
      '-oyaml',
      'x|touch X|',
      '\u001B[2Kx\u202E',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...Array.from('\'"\\$`;&|<>() \n-ax/.')) }) },
)

/**
 * Runs printed commands in a real shell where only kubectl and sed exist.
 *
 * @throws Error when the shell runs anything else, or cannot read them.
 */
function runInShell(commands: readonly string[]): void {
  const script = preamble + commands.map((command) => command.replace(/ > (?=\S+\.yaml$)/, ' ')).join('\n')
  execFileSync('/bin/sh', ['-c', script], { env: { PATH: '/nowhere' }, stdio: 'pipe' })
}

/**
 * Runs the commands that are suggested for each of 300 names in a real shell where only kubectl and sed exist. Returns those
 * of each name that has commands.
 *
 * @throws Error when the shell runs anything else, or a terminal would obey a character of a command.
 */
export function runSuggestions<T>(
  names: fc.Arbitrary<T>,
  commandsOf: (given: T) => readonly string[],
): readonly (readonly string[])[] {
  const run: (readonly string[])[] = []
  fc.assert(
    fc.property(names, (given) => {
      const commands = commandsOf(given)
      if (commands.length === 0) return
      run.push(commands)
      runInShell(commands)
      expect(commands.join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
    }),
    { numRuns: 300, seed: 18 },
  )
  return run
}
