import type { World } from '../world/world.ts'

/** A fault of the whole system. */
export interface SystemFault {
  /** Begins with the row of the fault table: `F2 …`. Its injections are counted under this name. */
  readonly name: string
  /** Begins the fault. It ends by itself, or with `World.healAll`. */
  begin(world: World): Promise<void> | void
}
