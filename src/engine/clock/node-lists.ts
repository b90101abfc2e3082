// Circular doubly linked lists of numbered nodes in typed arrays, 8 bytes a node: moving a node, or a whole list, allocates
// nothing. The first nodes are the lists' heads; each of the others stands in one list at most.

export interface NodeLists {
  /** Makes room for nodes up to this one. */
  reserve(node: number): void;
  isEmpty(head: number): boolean;
  /** Of a list that is not empty. */
  first(head: number): number;
  append(head: number, node: number): void;
  /** Takes a node out of the list it stands in. */
  unlink(node: number): void;
  /** Moves all nodes of one list behind those of another, as a whole. */
  pour(from: number, to: number): void;
}

/** This many empty lists, numbered from 0. */
export function createNodeLists(heads: number): NodeLists {
  let next = new Int32Array(2 * heads);
  let previous = new Int32Array(2 * heads);
  for (let head = 0; head < heads; head++) next[head] = previous[head] = head;

  function join(left: number, right: number): void {
    next[left] = right;
    previous[right] = left;
  }

  return {
    reserve: (node) => {
      next = withRoomFor(node, next);
      previous = withRoomFor(node, previous);
    },
    isEmpty: (head) => next[head] === head,
    first: (head) => next[head]!,
    append: (head, node) => {
      join(previous[head]!, node);
      join(node, head);
    },
    unlink: (node) => join(previous[node]!, next[node]!),
    pour: (from, to) => {
      const first = next[from]!;
      if (first === from) return;
      const last = previous[from]!;
      next[from] = previous[from] = from;
      join(previous[to]!, first);
      join(last, to);
    },
  };
}

/** The numbers, followed by zeros where there is none yet for this place. */
export function withRoomFor<Numbers extends Int32Array | Uint32Array>(place: number, numbers: Numbers): Numbers {
  if (place < numbers.length) return numbers;
  const Longer = numbers.constructor as new (length: number) => Numbers;
  const longer = new Longer(Math.max(2 * numbers.length, place + 1));
  longer.set(numbers);
  return longer;
}
