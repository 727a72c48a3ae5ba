/**
 * A parser or an endpoint with its contract, as a module `test/fuzz/NAME.fuzz.ts` of a package exports it. Each input must
 * either be refused with a typed error or become a value that keeps the contract.
 */
export interface FuzzTarget {
  readonly name: string
  /** Folder with the inputs that are in the tree. */
  readonly corpusFolder: string
  /** One sentence about the value of an accepted input. */
  readonly contract: string
  /** Classes of the errors by which {@link parse} refuses an input. Each error must have a `code`. */
  readonly refusals: readonly RefusalClass[]
  /** Texts that mutations insert, for example keywords. */
  readonly dictionary: readonly string[]
  /** Reads an input. Must not change it. */
  readonly parse: (input: Uint8Array) => unknown
  /** Throws if the value of an accepted input breaks the contract. It may not refuse. */
  readonly verify: (value: unknown) => unknown
}

/** A class of errors, whatever its constructor takes. */
export type RefusalClass = abstract new (...args: never) => Error
