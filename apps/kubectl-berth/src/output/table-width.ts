import type { Terminal } from '../cli/terminal.ts'

/** Returns the width into which tables fit. With `-o wide`, they have every column. */
export function tableWidth({ tableColumns }: Pick<Terminal, 'tableColumns'>, isWide: boolean): number {
  return isWide ? Infinity : tableColumns
}
