"use strict";
// The line on a map where the nearest language changes its group: backend/charts/world/isogloss.py, step by step, in the
// projection of backend/charts/world/equal_earth.py.
const isogloss = (() => {
  const RADIUS = 6371, REACH = 2000, FURTHEST = 5000, STEP = 50; // km
  const MIDDLE = 11, A1 = 1.340264, A2 = -0.081106, A3 = 0.000893, A4 = 0.003796;
  const EVEN = 1e-15;
  const rad = Math.PI / 180;

  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const less = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const within = (value) => Math.min(1, Math.max(-1, value));
  const unit = (a) => {
    const length = Math.sqrt(dot(a, a));
    return a.map((each) => each / length);
  };

  // Return the line, as plotly.js takes it, between places (degrees) of different groups; those of group 0 are left out.
  function line(longitude, latitude, groups) {
    const kept = groups.map((_, at) => at).filter((at) => groups[at] > 0), own = kept.map((at) => groups[at]);
    const places = kept.map((at) => {
      const [east, north] = [longitude[at] * rad, latitude[at] * rad];
      return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
    });
    const reach = reachOf(places) / RADIUS, near = Math.cos(2 * reach), x = [], y = [];
    places.forEach((place, first) => {
      const rivals = places.map((_, at) => at).filter((at) => at !== first && dot(place, places[at]) > near);
      for (const other of rivals) {
        if (other <= first || own[other] === own[first]) continue;
        const found = arc(place, places[other], rivals.filter((at) => at !== other).map((at) => places[at]), reach);
        if (found) put(found, x, y);
      }
    });
    return { x, y };
  }

  // Return how far from its nearest place the line is drawn, in km.
  function reachOf(places) {
    if (places.length < 2) return REACH;
    const nearest = places.map((place) => Math.max(...places.map((other) => (other === place ? -1 : within(dot(place, other))))));
    const alone = Math.max(...nearest.map(Math.acos)) * RADIUS;
    return Math.min(Math.max(REACH, alone / Math.SQRT2), FURTHEST);
  }

  // Return the points half-way between two places to which no rival is nearer; null where there are none.
  function arc(place, other, rivals, reach) {
    const across = unit(cross(place, other)), middle = unit(place.map((each, i) => each + other[i]));
    const half = Math.acos(within(dot(middle, place)));
    const furthest = Math.tan(Math.acos(Math.min(Math.cos(reach) / Math.cos(half), 1)));
    let [least, most] = [-furthest, furthest];
    for (const rival of rivals) {
      const away = less(place, rival), fixed = dot(middle, away), slope = dot(across, away);
      if (Math.abs(slope) < EVEN) {
        if (fixed < -EVEN) return null;
      } else if (slope > 0) least = Math.max(least, -fixed / slope);
      else most = Math.min(most, -fixed / slope);
    }
    if (!(least < most)) return null;
    const [start, stop] = [Math.atan(least), Math.atan(most)], steps = 1 + Math.floor(((stop - start) * RADIUS) / STEP);
    return Array.from({ length: steps + 1 }, (_, step) => {
      const angle = start + ((stop - start) * step) / steps;
      return middle.map((each, i) => Math.cos(angle) * each + Math.sin(angle) * across[i]);
    });
  }

  // Put points into the map's coordinates, after a gap; beyond the edge of the map the line goes on at the other one.
  function put(points, x, y) {
    if (x.length) x.push(null), y.push(null);
    let before = null;
    for (const [one, two, three] of points) {
      const east = onTheMap(Math.atan2(two, one) / rad), at = equalEarth(east, Math.asin(within(three)) / rad);
      x.push(before !== null && Math.abs(east - before) > 180 ? null : at[0]);
      y.push(at[1]);
      before = east;
    }
  }

  function onTheMap(longitude) {
    const edge = MIDDLE - 180;
    return ((((longitude - edge) % 360) + 360) % 360) + edge;
  }

  function equalEarth(longitude, latitude) {
    const theta = Math.asin((Math.sqrt(3) / 2) * Math.sin(latitude * rad)), squared = theta ** 2, sixth = theta ** 6;
    const slope = A1 + 3 * A2 * squared + sixth * (7 * A3 + 9 * A4 * squared);
    return [(2 * Math.sqrt(3) * (longitude - MIDDLE) * rad * Math.cos(theta)) / (3 * slope), theta * (A1 + A2 * squared + sixth * (A3 + A4 * squared))];
  }

  return { line };
})();
