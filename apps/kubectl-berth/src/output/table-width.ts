import type { Terminal } from '../cli/terminal.ts'

/** Returns the width into which tables fit: that of a terminal. Pipes and files, and `-o wide`, get every column. */
export function tableWidth({ isTerminal, columns }: Pick<Terminal, 'isTerminal' | 'columns'>, isWide: boolean): number {
  return isTerminal && !isWide ? columns : Infinity
}
