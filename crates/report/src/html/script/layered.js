// Layered drawings of directed graphs: cycles are broken, nodes get ranks, edges between far ranks get bends, the order in each
// rank is chosen to cross few edges, and coordinates pull connected nodes together.

const GAP_X = 26;
const GAP_Y = 26;
/** More bends than this are not routed: the edge is drawn as one curve. */
const MAX_BENDS = 40000;

/**
 * Places the nodes of a graph. A node has a size {w, h}; an edge {from, to, w, h} has the size of its label, which gets a place
 * of its own. The result has the positions of nodes and, for each edge, its points and the position of its label.
 */
function layered(nodes, edges, root) {
  const graph = withLabels(nodes, edges, root);
  assignRanks(graph);
  addBends(graph);
  const ranks = initialOrder(graph);
  reduceCrossings(graph, ranks);
  assignCoordinates(graph, ranks);
  return finish(graph, nodes, edges);
}

/** Every label becomes a node in the middle of its edge, and back edges are turned round. */
function withLabels(nodes, edges, root) {
  const backward = backEdges(nodes.length, edges, root);
  const items = nodes.map((node) => ({ w: node.w, h: node.h, weight: 1 }));
  const links = [];
  const routes = edges.map((edge, index) => {
    const isBack = backward[index] && edge.from !== edge.to;
    const [from, to] = isBack ? [edge.to, edge.from] : [edge.from, edge.to];
    const label = items.push({ w: edge.w, h: edge.h, weight: 2 }) - 1;
    const first = links.push({ from, to: label }) - 1;
    // An edge from a node to itself goes to its label and back.
    const second = edge.from === edge.to ? null : links.push({ from: label, to }) - 1;
    return { isBack, label, first, second };
  });
  return { items, links, routes, count: nodes.length };
}

/** Which edges close a cycle, by a depth-first search that starts at the root. */
function backEdges(count, edges, root) {
  const outgoing = Array.from({ length: count }, () => []);
  edges.forEach((edge, index) => outgoing[edge.from].push(index));
  const state = new Uint8Array(count);
  const backward = new Array(edges.length).fill(false);
  const visit = (start) => {
    const stack = [[start, 0]];
    state[start] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top[1] === outgoing[top[0]].length) {
        state[top[0]] = 2;
        stack.pop();
        continue;
      }
      const index = outgoing[top[0]][top[1]++];
      const target = edges[index].to;
      if (state[target] === 1) backward[index] = true;
      else if (state[target] === 0) {
        state[target] = 1;
        stack.push([target, 0]);
      }
    }
  };
  visit(root);
  for (let node = 0; node < count; node++) if (state[node] === 0) visit(node);
  return backward;
}

function neighbours(graph) {
  const outgoing = graph.items.map(() => []);
  const incoming = graph.items.map(() => []);
  for (const link of graph.links) {
    outgoing[link.from].push(link.to);
    incoming[link.to].push(link.from);
  }
  return { outgoing, incoming };
}

/** Ranks by the longest way from a source; then sources move down to what they lead to. */
function assignRanks(graph) {
  const { outgoing, incoming } = neighbours(graph);
  const rank = new Int32Array(graph.items.length);
  const missing = incoming.map((list) => list.length);
  const order = [];
  missing.forEach((count, node) => count === 0 && order.push(node));
  for (let next = 0; next < order.length; next++) {
    for (const target of outgoing[order[next]]) {
      rank[target] = Math.max(rank[target], rank[order[next]] + 1);
      if (--missing[target] === 0) order.push(target);
    }
  }
  // A label is closer to what it leads to if that shortens nothing else: nodes with one way in stay below it.
  for (const node of order.slice().reverse()) {
    const isSource = incoming[node].length === 0 && outgoing[node].length > 0 && node !== 0;
    if (isSource) rank[node] = Math.min(...outgoing[node].map((target) => rank[target])) - 1;
  }
  graph.items.forEach((item, index) => { item.rank = rank[index]; });
}

/** Links over more than one rank get an item in each rank between. */
function addBends(graph) {
  const length = (link) => graph.items[link.to].rank - graph.items[link.from].rank;
  const total = graph.links.reduce((sum, link) => sum + Math.max(0, length(link) - 1), 0);
  graph.isRouted = total <= MAX_BENDS;
  graph.chains = graph.links.map((link) => {
    const chain = [link.from];
    for (let rank = graph.items[link.from].rank + 1; graph.isRouted && rank < graph.items[link.to].rank; rank++) {
      chain.push(graph.items.push({ w: 6, h: 0, weight: 8, rank, isBend: true }) - 1);
    }
    chain.push(link.to);
    return chain;
  });
  graph.links = graph.chains.flatMap((chain) => chain.slice(1).map((to, index) => ({ from: chain[index], to })));
}

/** The items of each rank in the order in which a depth-first search meets them. */
function initialOrder(graph) {
  const { outgoing, incoming } = neighbours(graph);
  graph.outgoing = outgoing;
  graph.incoming = incoming;
  const ranks = [];
  const seen = new Uint8Array(graph.items.length);
  const visit = (start) => {
    const stack = [start];
    while (stack.length > 0) {
      const node = stack.pop();
      if (seen[node]) continue;
      seen[node] = 1;
      (ranks[graph.items[node].rank] ??= []).push(node);
      for (let index = outgoing[node].length - 1; index >= 0; index--) stack.push(outgoing[node][index]);
    }
  };
  graph.items.forEach((_, node) => incoming[node].length === 0 && visit(node));
  graph.items.forEach((_, node) => visit(node));
  for (let rank = 0; rank < ranks.length; rank++) ranks[rank] ??= [];
  return ranks;
}

function setPositions(graph, ranks) {
  for (const rank of ranks) rank.forEach((node, index) => { graph.items[node].order = index; });
}

/** Sorts ranks by the mean position of neighbours, down and up, and keeps the best order. */
function reduceCrossings(graph, ranks) {
  setPositions(graph, ranks);
  const sweeps = graph.items.length > 8000 ? 4 : 14;
  let best = ranks.map((rank) => rank.slice());
  let fewest = crossings(graph, ranks);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const isDown = sweep % 2 === 0;
    const near = isDown ? graph.incoming : graph.outgoing;
    for (let step = 1; step < ranks.length; step++) {
      const rank = ranks[isDown ? step : ranks.length - 1 - step];
      const wish = new Map(rank.map((node) => {
        const list = near[node];
        const sum = list.reduce((total, other) => total + graph.items[other].order, 0);
        return [node, list.length === 0 ? graph.items[node].order : sum / list.length];
      }));
      rank.sort((a, b) => wish.get(a) - wish.get(b) || graph.items[a].order - graph.items[b].order);
      rank.forEach((node, index) => { graph.items[node].order = index; });
    }
    const count = crossings(graph, ranks);
    if (count < fewest) {
      fewest = count;
      best = ranks.map((rank) => rank.slice());
    }
  }
  best.forEach((rank, index) => { ranks[index] = rank; });
  setPositions(graph, ranks);
}

/** How many pairs of links cross: inversions, counted with a tree of sums. */
function crossings(graph, ranks) {
  let total = 0;
  for (let index = 0; index + 1 < ranks.length; index++) {
    const size = ranks[index + 1].length;
    const sums = new Int32Array(size + 1);
    let added = 0;
    for (const node of ranks[index]) {
      const targets = graph.outgoing[node].map((target) => graph.items[target].order).sort((a, b) => a - b);
      for (const target of targets) {
        let before = 0;
        for (let at = target + 1; at > 0; at -= at & -at) before += sums[at];
        total += added - before;
      }
      for (const target of targets) {
        added++;
        for (let at = target + 1; at <= size; at += at & -at) sums[at]++;
      }
    }
  }
  return total;
}

/** Heights of ranks, then horizontal positions near those of neighbours that keep order and distances. */
function assignCoordinates(graph, ranks) {
  let y = 0;
  for (const rank of ranks) {
    const height = rank.reduce((most, node) => Math.max(most, graph.items[node].h), 0);
    for (const node of rank) graph.items[node].y = y + height / 2;
    y += height + (height > 0 ? GAP_Y : 6);
  }
  for (const rank of ranks) {
    let x = 0;
    for (const node of rank) {
      const item = graph.items[node];
      item.x = x + item.w / 2;
      x += item.w + GAP_X;
    }
  }
  const sweeps = graph.items.length > 8000 ? 4 : 16;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isDown = sweep % 2 === 0;
    for (let step = 0; step < ranks.length; step++) {
      const rank = ranks[isDown ? step : ranks.length - 1 - step];
      // The last sweeps look both ways, so that neither end is favoured.
      const near = (node) => sweep >= sweeps - 4 ? graph.incoming[node].concat(graph.outgoing[node])
        : isDown ? graph.incoming[node] : graph.outgoing[node];
      placeRank(graph, rank, near);
    }
  }
}

/** The positions closest to the wishes, in the sense of least squares, that keep order and distances: pooling of violators. */
function placeRank(graph, rank, near) {
  const pools = [];
  let offset = 0;
  let previous = null;
  const offsets = [];
  for (const node of rank) {
    const item = graph.items[node];
    if (previous) offset += (previous.w + item.w) / 2 + GAP_X * (previous.isBend && item.isBend ? 0.5 : 1);
    offsets.push(offset);
    previous = item;
    const others = near(node);
    const wish = others.length === 0 ? item.x : others.reduce((sum, other) => sum + graph.items[other].x, 0) / others.length;
    const weight = others.length === 0 ? 0.1 : item.weight;
    pools.push({ sum: (wish - offset) * weight, weight, count: 1 });
    while (pools.length > 1) {
      const [left, right] = pools.slice(-2);
      if (left.sum / left.weight <= right.sum / right.weight) break;
      pools.splice(-2, 2, { sum: left.sum + right.sum, weight: left.weight + right.weight, count: left.count + right.count });
    }
  }
  let index = 0;
  for (const pool of pools) {
    for (let member = 0; member < pool.count; member++, index++) {
      graph.items[rank[index]].x = pool.sum / pool.weight + offsets[index];
    }
  }
}

function finish(graph, nodes, edges) {
  const point = (item) => [graph.items[item].x, graph.items[item].y];
  const placed = nodes.map((_, index) => point(index));
  const routed = edges.map((edge, index) => {
    const route = graph.routes[index];
    const chain = graph.chains[route.first].concat(route.second === null ? [] : graph.chains[route.second].slice(1));
    const points = chain.map(point);
    if (edge.from === edge.to) {
      const [[x, y], [labelX, labelY]] = points;
      return { points: [[x, y], [labelX - 10, labelY], [labelX + 10, labelY], [x, y]], label: point(route.label) };
    }
    return { points: route.isBack ? points.reverse() : points, label: point(route.label) };
  });
  return { nodes: placed, edges: routed };
}
