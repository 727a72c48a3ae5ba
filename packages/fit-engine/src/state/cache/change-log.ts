/** Number of changes the log holds. A reader that is further behind starts again from scratch. */
const SIZE = 4096

/** The rows whose allocatable or requested amounts changed most recently. */
export class ChangeLog {
  /** Number of changes so far. */
  count = 0
  #rows: Int32Array | undefined

  record(row: number): void {
    const rows = (this.#rows ??= new Int32Array(SIZE))
    rows[this.count & (SIZE - 1)] = row
    this.count += 1
  }

  /**
   * Returns the rows of the changes after the first `seen`, each row once. Returns undefined when the log no longer
   * holds all of them.
   */
  since(seen: number): Int32Array | undefined {
    const rows = this.#rows
    if (this.count - seen > SIZE || rows === undefined) return undefined
    const changed = new Set<number>()
    for (let i = seen; i < this.count; i++) changed.add(rows[i & (SIZE - 1)] ?? 0)
    return Int32Array.from(changed)
  }
}
