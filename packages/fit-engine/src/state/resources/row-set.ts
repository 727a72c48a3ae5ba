/** A set of rows, stored as one bit per row and listed in ascending order. */
export class RowSet {
  #words: Uint32Array

  constructor(capacity: number) {
    this.#words = new Uint32Array(Math.ceil(capacity / 32))
  }

  has(row: number): boolean {
    return (((this.#words[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1
  }

  /** Adds the row to the set or removes it. */
  set(row: number, isMember: boolean): void {
    const word = row >>> 5
    const bit = 1 << (row & 31)
    const old = this.#words[word] ?? 0
    this.#words[word] = isMember ? old | bit : old & ~bit
  }

  /** Writes the rows into `target` in ascending order. Returns their number. */
  writeTo(target: Int32Array): number {
    let count = 0
    for (let index = 0; index < this.#words.length; index++) {
      let word = this.#words[index] ?? 0
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word)
        target[count++] = index * 32 + bit
        word &= word - 1
      }
    }
    return count
  }

  grow(capacity: number): void {
    const words = new Uint32Array(Math.ceil(capacity / 32))
    words.set(this.#words)
    this.#words = words
  }

  copy(): RowSet {
    const copy = new RowSet(0)
    copy.#words = this.#words.slice()
    return copy
  }
}
