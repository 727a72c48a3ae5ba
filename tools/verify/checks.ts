/** One step of `npm test`: a command that exits with 0 when it passes. */
export interface Check {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Shows the command's own progress on a terminal. Otherwise output appears only when the check fails. */
  readonly showsProgress?: boolean
  /** The JSON report that the command writes, for a check that runs tests. */
  readonly vitestReportPath?: string
}

/**
 * Lists every check of `npm test` in execution order: the checks that others depend on come first.
 *
 * @param vitestReportPath - File for vitest's JSON report, from which the tests are counted.
 * @param options.isTerminal - Whether a person watches. Otherwise vitest prints failures and the summary only.
 */
export function checks(vitestReportPath: string, { isTerminal }: { readonly isTerminal: boolean }): readonly Check[] {
  return [
    { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
    { name: 'typecheck', command: ['turbo', 'run', 'typecheck', '--output-logs=errors-only'] },
    { name: 'lint', command: ['oxlint', '--deny-warnings'] },
    { name: 'format', command: ['oxfmt', '--check'] },
    { name: 'boundaries', command: ['turbo', 'boundaries'] },
    { name: 'import cycles', command: ['node', '-C', '@berth/source', 'tools/import-cycles.ts'] },
    { name: 'unused code', command: ['knip'] },
    // Fails above the share of duplicated lines that .jscpd.json records. Lower the threshold when the share falls.
    { name: 'duplication', command: ['jscpd', '--config', '.jscpd.json'] },
    { name: 'generated files', command: ['node', '-C', '@berth/source', 'tools/generate.ts', '--check'] },
    { name: 'packages', command: ['turbo', 'run', 'publint', '--output-logs=errors-only'] },
    // With one seed, so that a change is not blamed for an old fault. Other seeds and longer runs: `npm run fuzz -- --minutes 60`.
    // Loading the targets counts, too, so that the check takes less than a minute on a busy machine.
    {
      name: 'fuzzing',
      command: [
        'node',
        '--disable-warning=ExperimentalWarning',
        '-C',
        '@berth/source',
        'tools/fuzz.ts',
        '--seconds',
        '30',
        '--seed',
        '1',
      ],
    },
    {
      name: 'tests',
      command: [
        'vitest',
        'run',
        '--coverage',
        `--reporter=${isTerminal ? 'default' : 'minimal'}`,
        '--reporter=json',
        `--outputFile=${vitestReportPath}`,
      ],
      showsProgress: true,
      vitestReportPath,
    },
  ]
}
