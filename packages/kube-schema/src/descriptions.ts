import * as files from './gen/descriptions/index.ts'
import type { TypeDescription } from './generated-files.ts'

export type { TypeDescription } from './generated-files.ts'

const descriptions: ReadonlyMap<string, TypeDescription> = new Map(
  Object.values(files).flatMap((file) =>
    Object.entries(file.types).map(([name, entry]) => [`${file.package}.${name}`, entry] as const),
  ),
)

/**
 * Returns the descriptions of a type and its fields.
 *
 * @param modelName - OpenAPI name, such as `io.k8s.api.core.v1.Pod`.
 */
export function descriptionsOf(modelName: string): TypeDescription | undefined {
  return descriptions.get(modelName)
}
