/** Holders of answers that are further behind than that start anew. */
const SIZE = 4096

/** Which rows changed lately: their amounts, offered or requested. */
export class ChangeLog {
  /** How many changes there ever were. */
  count = 0
  #rows: Int32Array | undefined

  record(row: number): void {
    const rows = (this.#rows ??= new Int32Array(SIZE))
    rows[this.count & (SIZE - 1)] = row
    this.count += 1
  }

  /** Rows of the changes after the first `seen`, each once; undefined when not all of them are known any more. */
  since(seen: number): Int32Array | undefined {
    const rows = this.#rows
    if (this.count - seen > SIZE || rows === undefined) return undefined
    const changed = new Set<number>()
    for (let i = seen; i < this.count; i++) changed.add(rows[i & (SIZE - 1)] ?? 0)
    return Int32Array.from(changed)
  }
}
