/** What upstream takes for the smallest count where there is no domain. */
const NO_MINIMUM = 2147483647

/** How many pods each domain of one topology holds, and the smallest of these numbers. */
export class DomainCounts {
  readonly #counts: Int32Array
  readonly #isThere: Uint8Array
  /** Count -> how many domains have it. */
  #domainsByCount: Map<number, number> | undefined
  #minimum = NO_MINIMUM
  #size = 0

  /** @param domainCount - Above every domain number. */
  constructor(domainCount: number) {
    this.#counts = new Int32Array(domainCount)
    this.#isThere = new Uint8Array(domainCount)
  }

  /** How many domains there are. */
  get size(): number {
    return this.#size
  }

  /** The smallest count of a domain; a huge number where there is no domain. */
  get minimum(): number {
    if (this.#domainsByCount === undefined) this.#sumUp()
    return this.#minimum
  }

  /** 0 for a domain that is not there. */
  of(domain: number): number {
    return this.#counts[domain] ?? 0
  }

  /** Puts the domain there. To be called before the first question for the minimum, as {@link DomainCounts.count}. */
  include(domain: number): void {
    if (this.#isThere[domain] !== 0) return
    this.#isThere[domain] = 1
    this.#size += 1
  }

  /** One pod more in a domain that is there. */
  count(domain: number): void {
    this.#counts[domain] = (this.#counts[domain] ?? 0) + 1
  }

  /** One pod more or less in a domain that is there. */
  change(domain: number, delta: 1 | -1): void {
    const { minimum } = this
    const byCount = this.#domainsByCount
    const before = this.#counts[domain] ?? 0
    const after = before + delta
    this.#counts[domain] = after
    const left = (byCount?.get(before) ?? 1) - 1
    if (left === 0) byCount?.delete(before)
    else byCount?.set(before, left)
    byCount?.set(after, (byCount.get(after) ?? 0) + 1)
    if (after < minimum || (before === minimum && left === 0)) this.#minimum = after
  }

  #sumUp(): void {
    const byCount = new Map<number, number>()
    for (let domain = 0; domain < this.#counts.length; domain++) {
      if (this.#isThere[domain] === 0) continue
      const count = this.#counts[domain] ?? 0
      byCount.set(count, (byCount.get(count) ?? 0) + 1)
      this.#minimum = Math.min(this.#minimum, count)
    }
    this.#domainsByCount = byCount
  }
}
