// The undoable map beside plain copies of itself, taken at each mark.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { undoableMap } from "../../src/domain/maps.ts";

type Step =
  | { readonly do: "set" | "delete"; readonly key: number; readonly value: number }
  | { readonly do: "mark" | "undo" | "forget" };

const anyChange = fc.record({
  do: fc.constantFrom("set" as const, "delete" as const),
  key: fc.nat(3),
  value: fc.nat(9),
});
const anyOther = fc.record({ do: fc.constantFrom("mark" as const, "undo" as const, "forget" as const) });
const anySteps = fc.array(fc.oneof({ weight: 3, arbitrary: anyChange }, { weight: 2, arbitrary: anyOther }), {
  maxLength: 40,
});

test("a map goes back to each of its marks, innermost first, until it forgets them", () => {
  fc.assert(
    fc.property(anySteps, (steps: readonly Step[]) => {
      const map = undoableMap<number, number>();
      let model = new Map<number, number>();
      let marks: { readonly undo: () => void; readonly copy: Map<number, number> }[] = [];
      for (const step of steps) {
        if (step.do === "set") {
          map.set(step.key, step.value);
          model.set(step.key, step.value);
        } else if (step.do === "delete") {
          map.delete(step.key);
          model.delete(step.key);
        } else if (step.do === "mark") marks.push({ undo: map.mark(), copy: new Map(model) });
        else if (step.do === "forget") {
          map.forget();
          marks = [];
        } else {
          const last = marks.pop();
          last?.undo();
          model = last?.copy ?? model;
        }
        expect([...map.keys()].toSorted()).toEqual([...model.keys()].toSorted());
        for (const key of [0, 1, 2, 3]) expect(map.get(key)).toBe(model.get(key));
      }
    }),
  );
});
