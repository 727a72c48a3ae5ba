import type { Declaration } from '../plan/declaration.ts'
import type { DesiredState } from '../plan/desired-state.ts'
import type { SourceReadings } from '../sources/source-readings.ts'

/** Declarations, and the readings of the resource sources that they use. */
export interface PreparedDeclarations {
  readonly declarations: readonly Declaration[]
  readonly readings: SourceReadings
}

/**
 * The result of preparing a configuration: the desired state, and the readings of the resource sources that it uses.
 */
export interface Setup {
  readonly desired: DesiredState
  readonly readings: SourceReadings
}

/**
 * Adds declarations to a setup. Each keeps its own readings, so that a change of one declaration does not lose the values
 * of the others.
 */
export function withDeclarations(setup: Setup, added: readonly PreparedDeclarations[]): Setup {
  if (added.length === 0) return setup
  const declarations = [...setup.desired.declarations, ...added.flatMap((part) => part.declarations)]
  const own = new Map(added.flatMap((part) => part.declarations.map((declaration) => [declaration, part.readings])))
  const readingsOf = (declaration: Declaration): SourceReadings => own.get(declaration) ?? setup.readings
  const readings: SourceReadings = {
    read: (declaration, source, nodeName) => readingsOf(declaration).read(declaration, source, nodeName),
    refresh: (declaration, nodes, signal) => readingsOf(declaration).refresh(declaration, nodes, signal),
    ageMs: (declaration) => readingsOf(declaration).ageMs(declaration),
    forget(nodeName) {
      for (const each of new Set([setup.readings, ...own.values()])) each.forget(nodeName)
    },
  }
  return { desired: { ...setup.desired, declarations, readSource: readings.read }, readings }
}
