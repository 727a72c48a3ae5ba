import type { Artefact } from './artefact.ts'

/** The inputs of a release step. */
export interface ReleaseContext {
  /** Root of the checkout. */
  readonly root: string
  /** Folder for the files of the release. */
  readonly out: string
  /** Folder for files that are not released. It is removed at the end. */
  readonly workDir: string
  /** Folder for downloads. It is kept. */
  readonly cacheDir: string
  readonly version: string
  /** Modification time of every packed file, in seconds since 1970: the time of the released commit. */
  readonly epochSeconds: number
  /** URL of the folder from which users will download the files. */
  readonly downloadUrl: string
  readonly log: (text: string) => void
}

/** One part of a release. */
export interface ReleaseStep {
  readonly name: string
  readonly summary: string
  /** Names of the steps whose files `build` reads. They run first, even if they were not asked for. */
  readonly reads?: readonly string[]
  /** Writes files to the folder of the release. The same commit gives the same files. */
  readonly build: (context: ReleaseContext) => Promise<readonly Artefact[]>
  /**
   * Checks what `build` wrote, or the checkout. Returns sentences about what was checked.
   *
   * @throws ReleaseError
   */
  readonly check: (context: ReleaseContext) => Promise<readonly string[]>
}

/** A failed release step. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}
