/** One step of the verification: a command that exits with 0 when all is well. */
export interface Check {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  /** Shows the command's own output while it runs; others are shown only when they fail. */
  readonly isLive?: boolean
}

/**
 * Everything that `npm test` runs, in order: what others stand on comes first.
 *
 * @param vitestReportPath - Where vitest leaves its JSON report, from which the tests are counted.
 */
export function checks(vitestReportPath: string): readonly Check[] {
  return [
    { name: 'build', command: ['turbo', 'run', 'build', '--output-logs=errors-only'] },
    { name: 'typecheck', command: ['turbo', 'run', 'typecheck', '--output-logs=errors-only'] },
    { name: 'lint', command: ['oxlint', '--deny-warnings'] },
    { name: 'format', command: ['oxfmt', '--check'] },
    { name: 'boundaries', command: ['turbo', 'boundaries'] },
    { name: 'unused code', command: ['knip'] },
    { name: 'generated files', command: ['node', '-C', '@berth/source', 'tools/generate.ts', '--check'] },
    { name: 'packages', command: ['turbo', 'run', 'publint', '--output-logs=errors-only'] },
    {
      name: 'tests',
      command: ['vitest', 'run', '--coverage', '--reporter=dot', '--reporter=json', `--outputFile=${vitestReportPath}`],
      isLive: true,
    },
  ]
}
