import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the paths of the files below `root` that are missing or whose text differs. */
export function differingFiles(root: string, files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].filter(([path, text]) => readText(join(root, path)) !== text).map(([path]) => path)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
