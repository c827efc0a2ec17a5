"""The algebra of profiles: laws, on a small tree where every answer can be enumerated."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.os_sandbox import OSProfile

PLACES = [Path("/", *parts) for depth in range(4) for parts in product("ab", repeat=depth)]
sets = st.frozensets(st.sampled_from(PLACES), max_size=4)
profiles = st.builds(OSProfile, readable=sets, writable=sets, network=st.booleans(), masked=sets)
# Deeper than any path in a profile, so that a region is never mistaken for a point.
POINTS = [Path("/", *parts) for depth in range(5) for parts in product("ab", repeat=depth)]


def allowed(profile: OSProfile) -> set[object]:
    """Everything a profile permits, spelled out."""
    found: set[object] = {("read", point) for point in POINTS if profile.may_read(point)}
    found |= {("write", point) for point in POINTS if profile.may_write(point)}
    return found | ({"network"} if profile.network else set())


@given(profiles, profiles)
def test_an_intersection_is_never_weaker_than_either_side(left: OSProfile, right: OSProfile) -> None:
    both = left & right
    assert left.permits(both)
    assert right.permits(both)


@given(profiles, profiles)
def test_an_intersection_permits_exactly_what_both_permit(left: OSProfile, right: OSProfile) -> None:
    assert allowed(left & right) == allowed(left) & allowed(right)


@given(profiles, profiles)
def test_a_union_permits_both_sides(left: OSProfile, right: OSProfile) -> None:
    either = left | right
    assert either.permits(left)
    assert either.permits(right)


@given(profiles, profiles)
def test_permits_means_that_nothing_more_is_permitted(left: OSProfile, right: OSProfile) -> None:
    assert left.permits(right) == (allowed(left) >= allowed(right))


@given(profiles)
def test_every_profile_permits_itself(profile: OSProfile) -> None:
    assert profile.permits(profile)


@given(profiles, profiles)
def test_two_profiles_that_permit_each_other_are_equal(left: OSProfile, right: OSProfile) -> None:
    assert (left.permits(right) and right.permits(left)) == (left == right)


@given(profiles, profiles, profiles)
def test_what_a_permitted_profile_permits_is_permitted(one: OSProfile, two: OSProfile, three: OSProfile) -> None:
    inner, innermost = one & two, one & two & three
    assert one.permits(inner)
    assert inner.permits(innermost)
    assert one.permits(innermost)


@given(profiles, profiles, profiles)
def test_the_order_of_joining_does_not_matter(one: OSProfile, two: OSProfile, three: OSProfile) -> None:
    assert one & two == two & one
    assert one | two == two | one
    assert (one & two) & three == one & (two & three)
    assert one & one == one
    assert one | one == one


@given(profiles, sets)
def test_a_mask_takes_away_and_never_gives(profile: OSProfile, masked: frozenset[Path]) -> None:
    stricter = OSProfile(
        readable=profile.readable,
        writable=profile.writable,
        network=profile.network,
        masked=profile.masked | masked,
    )
    assert profile.permits(stricter)
    assert not any(stricter.may_write(place) for place in masked)


@pytest.mark.parametrize("place", ["relative", "/a/../b"])
def test_a_place_that_is_not_one_place_is_refused(place: str) -> None:
    with pytest.raises(ValueError, match="absolute path"):
        OSProfile(readable=frozenset({Path(place)}))
